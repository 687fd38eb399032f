package observe

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/runs/event"
)

// The limits of what is read of a repository.
const (
	maxFile   = 4096     // bytes of HEAD, of a ref, and of a file that names a folder
	maxPacked = 64 << 20 // bytes of packed-refs
	maxHops   = 5        // from one symbolic ref to the next
)

// Git returns what is seen of the repository that a folder is in: git_branch, git_head_sha, repo_root and
// repo_root_hash, as far as they are there. It fits into the options of runs. A folder outside of
// repositories gives nothing.
//
// repo_root is an absolute path of this machine, which has no place in a bundle; repo_root_hash, its
// SHA-256, says as well whether two runs are of one repository. The root of a worktree is the worktree's.
func Git(ctx context.Context, workspace string) (out []*event.ObservationRecorded) {
	if ctx.Err() != nil {
		return nil
	}
	root, git, err := repository(workspace)
	if err != nil {
		return nil
	}
	see := func(key, kind, value string) {
		o := &event.ObservationRecorded{Name: key, Value: event.Observed{Type: kind, Value: value}, Confidence: "high"}
		if event.New(event.Derive[event.SessionID](), event.Scope{}, o).Check() == nil {
			out = append(out, o)
		}
	}
	branch, sha := head(git)
	see("git_branch", "short_string", branch)
	see("git_head_sha", "git_sha1", sha)
	see("repo_root", "path", root)
	sum := sha256.Sum256([]byte(root))
	see("repo_root_hash", "sha256", hex.EncodeToString(sum[:]))
	return out
}

// repository returns the root of the repository that a folder is in, and where git keeps its files.
// The root has no links in it: one repository has one.
func repository(folder string) (root, git string, err error) {
	if root, err = filepath.EvalSymlinks(folder); err != nil {
		return "", "", err
	}
	if root, err = filepath.Abs(root); err != nil {
		return "", "", err
	}
	for {
		if git, err = gitFolder(root); err == nil {
			return root, git, nil
		}
		up := filepath.Dir(root)
		if up == root {
			return "", "", errors.New("it is in no repository")
		}
		root = up
	}
}

// gitFolder returns the folder that holds git's files of a root: .git, or the one that the file .git
// names, as in a worktree and a submodule.
func gitFolder(root string) (string, error) {
	git := filepath.Join(root, ".git")
	if info, err := os.Stat(git); err != nil {
		return "", err
	} else if !info.IsDir() {
		text, err := read(git)
		if err != nil {
			return "", err
		}
		named, ok := strings.CutPrefix(text, "gitdir: ")
		if !ok {
			return "", errors.New(".git names no folder")
		}
		if git = named; !filepath.IsAbs(git) {
			git = filepath.Join(root, git)
		}
	}
	_, err := os.Stat(filepath.Join(git, "HEAD"))
	return git, err
}

// head returns the branch that is checked out, "" if none is, and its commit, "" if it has none yet.
func head(git string) (branch, sha string) {
	text, err := read(filepath.Join(git, "HEAD"))
	if err != nil {
		return "", ""
	}
	ref, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return "", text
	}
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok || branch == ".invalid" { // what stands there if the refs are kept in another form
		return "", ""
	}
	common := git
	if text, err := read(filepath.Join(git, "commondir")); err == nil { // of a worktree
		if common = text; !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	return branch, commit(common, ref)
}

// commit returns the commit of a ref, "" if there is none.
func commit(common, ref string) string {
	for range maxHops {
		if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(filepath.FromSlash(ref)) {
			return ""
		}
		text, err := read(filepath.Join(common, filepath.FromSlash(ref)))
		if err != nil {
			return packed(common, ref)
		}
		next, symbolic := strings.CutPrefix(text, "ref: ")
		if !symbolic {
			return text
		}
		ref = next
	}
	return ""
}

// packed returns the commit of a ref that stands in packed-refs, "" if it does not.
func packed(common, ref string) string {
	f, err := open(filepath.Join(common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	for lines := bufio.NewScanner(io.LimitReader(f, maxPacked)); lines.Scan(); {
		if sha, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref {
			return sha
		}
	}
	return ""
}

// open opens a file, and nothing else: a pipe would wait for its writer.
func open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New(path + ": want a file")
	}
	return os.Open(path) //nolint:gosec // the host chose to look there, and only names and hashes leave
}

// read returns the text of a small file without the space around it.
func read(path string) (string, error) {
	f, err := open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	return strings.TrimSpace(string(text)), err
}
