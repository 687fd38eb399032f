package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// git runs the real git, which says what is right.
func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is the judge of this test")
	}
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// repo is a repository with a commit on the branch main.
func repo(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git(t, folder, "init", "-q", "-b", "main")
	commitIn(t, folder)
	return folder
}

func commitIn(t *testing.T, folder string) {
	t.Helper()
	git(t, folder, "commit", "-q", "--allow-empty", "-m", "one more")
}

func seen(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range Git(t.Context(), folder) {
		out[o.Name] = o.Value.Value
	}
	return out
}

// asGit says that a folder is seen as the real git sees it.
func asGit(t *testing.T, folder string) {
	t.Helper()
	root := git(t, folder, "rev-parse", "--show-toplevel")
	sum := sha256.Sum256([]byte(root))
	want := map[string]string{"repo_root": root, "repo_root_hash": hex.EncodeToString(sum[:]),
		"git_head_sha": git(t, folder, "rev-parse", "HEAD")}
	if branch := git(t, folder, "branch", "--show-current"); branch != "" {
		want["git_branch"] = branch
	}
	assert.Equal(t, want, seen(t, folder))
}

func TestRow047_ARepositoryIsSeenAsGitSeesIt(t *testing.T) {
	folder := repo(t)
	asGit(t, folder)
	sub := filepath.Join(folder, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o755))
	asGit(t, sub)
	git(t, folder, "checkout", "-q", "-b", "feature/long.name-1")
	commitIn(t, folder)
	asGit(t, folder)
	git(t, folder, "pack-refs", "--all")
	require.NoFileExists(t, filepath.Join(folder, ".git", "refs", "heads", "feature", "long.name-1"))
	asGit(t, folder)
	commitIn(t, folder) // a loose ref wins over the packed one
	asGit(t, folder)
	git(t, folder, "checkout", "-q", "--detach")
	asGit(t, folder)
}

func TestRow047_Worktrees(t *testing.T) {
	folder := repo(t)
	tree := filepath.Join(filepath.Dir(folder), filepath.Base(folder)+"-tree")
	git(t, folder, "worktree", "add", "-q", "-b", "other", tree)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(tree)) })
	commitIn(t, tree)
	asGit(t, tree)
	asGit(t, folder)
	assert.NotEqual(t, seen(t, folder)["git_head_sha"], seen(t, tree)["git_head_sha"])
	git(t, folder, "pack-refs", "--all")
	asGit(t, tree)
}

func TestRow047_WhatDoesNotFitIsLeftOut(t *testing.T) {
	folder := repo(t)
	long := strings.Repeat("b", 81)
	git(t, folder, "checkout", "-q", "-b", long)
	got := seen(t, folder)
	assert.NotContains(t, got, "git_branch")
	assert.Contains(t, got, "git_head_sha")
	git(t, folder, "checkout", "-q", "-b", long[:80])
	assert.Equal(t, long[:80], seen(t, folder)["git_branch"])

	deep := folder
	for len(deep) <= 512 {
		deep = filepath.Join(deep, strings.Repeat("d", 100))
	}
	require.NoError(t, os.MkdirAll(deep, 0o755))
	git(t, deep, "init", "-q", "-b", "main")
	got = seen(t, deep)
	assert.NotContains(t, got, "repo_root")
	assert.NotContains(t, got, "git_head_sha", "it has no commit yet")
	assert.Contains(t, got, "repo_root_hash")
	assert.Equal(t, "main", got["git_branch"])
}

func TestAFolderOfALiar(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a ref out of the folder":  {".git/HEAD": "ref: refs/heads/../../../secret\n", "secret": strings.Repeat("a", 40)},
		"a ref of another kind":    {".git/HEAD": "ref: /etc/passwd\n"},
		"a ref that turns around":  {".git/HEAD": "ref: refs/heads/a\n", ".git/refs/heads/a": "ref: refs/heads/a\n"},
		"text in place of a hash":  {".git/HEAD": "ref: refs/heads/a\n", ".git/refs/heads/a": "root:x:0:0\n"},
		"text in place of HEAD":    {".git/HEAD": "password\n"},
		"a file that names itself": {".git": "gitdir: .git\n"},
		"a hash of 64 digits":      {".git/HEAD": strings.Repeat("a", 64)},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for path, text := range files {
				path = filepath.Join(folder, path)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			assert.NotContains(t, seen(t, folder), "git_head_sha")
		})
	}
	assert.Empty(t, Git(t.Context(), filepath.Join(t.TempDir(), "not there")))
	assert.Empty(t, Git(t.Context(), t.TempDir()))
}
