package engine

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Row 63, the part about links: reading a symlink to a protected file is reading
// that file, in a path argument and in a command alike; and a replay, which asks
// nobody, comes to the same decision when the link is gone.
func TestRow063_SymlinkToAProtectedFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain.txt"), nil, 0o600))
	link, folder := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "sub")
	require.NoError(t, os.Symlink(filepath.Join(dir, ".env"), link))
	require.NoError(t, os.Symlink(dir, folder))
	b := newBench(t, `(defaults :unknown-tool :ask)
(deftool read :params (:path path) :tier :allow)
(deftool shell :params (:cmd command) :tier :allow)
(deflist secret "**/.env")
(defskill guard :gate ((deny protected :when (some (paths action) (glob-any? it secret)) :reason "protected")))`, "")
	read := func(path string) *Decision {
		return b.decideOn("read", sexpr.Plist("path", sexpr.Str(path)).String())
	}
	assert.Equal(t, reason.Allow, read(filepath.Join(dir, "plain.txt")).Kind)
	assert.Equal(t, "guard/protected", read(link).Key)
	assert.Equal(t, "guard/protected", read(filepath.Join(folder, ".env")).Key)
	assert.Equal(t, "guard/protected", b.decideOn("shell", sexpr.Plist("cmd", sexpr.Str("cat "+link)).String()).Key)
	assert.Equal(t, reason.Allow, read(filepath.Join(folder, "new", "file")).Kind, "what does not exist yet")
	require.NoError(t, os.Remove(link))
	b.intact()
}

// Behind a link to a folder, .. leads out of where the link leads, and not back.
func TestRow063_UpFromWhereALinkLeads(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	work, away := filepath.Join(dir, "work"), filepath.Join(dir, "away", "deep")
	require.NoError(t, os.MkdirAll(work, 0o700))
	require.NoError(t, os.MkdirAll(away, 0o700))
	require.NoError(t, os.Symlink(away, filepath.Join(work, "link")))
	require.NoError(t, os.Symlink("../away/new", filepath.Join(work, "dangling")))
	b := newBench(t, `(defaults :unknown-tool :ask)
(deftool read :params (:path path) :tier :allow)
(deftool shell :params (:cmd command) :tier :allow)
(defskill guard :gate ((deny outside :when (not (every-or-empty (paths action) (under? it facts.env.cwd))) :reason "outside")))`, "",
		func(o *Options) { o.Env = sexpr.Plist("cwd", sexpr.Str(work)) })
	for _, tt := range []struct {
		tool, key, arg string
		want           reason.Kind
	}{
		{"read", "path", "x/../plain.txt", reason.Allow},
		{"read", "path", "link/../plain.txt", reason.Deny},
		{"read", "path", work + "/x/../link/../plain.txt", reason.Deny},
		{"read", "path", "dangling", reason.Deny},
		{"shell", "cmd", "cat x/../plain.txt", reason.Allow},
		{"shell", "cmd", "cat link/../plain.txt", reason.Deny},
		{"shell", "cmd", "cat --from=link/../plain.txt", reason.Deny},
		{"shell", "cmd", "cd link && cat ../plain.txt", reason.Deny},
		{"shell", "cmd", "cd x && cat ../plain.txt", reason.Allow},
	} {
		d := b.decideOn(tt.tool, sexpr.Plist(tt.key, sexpr.Str(tt.arg)).String())
		assert.Equal(t, tt.want, d.Kind, "%s: %s", tt.arg, d.Key)
	}
	b.intact()
}

// Where links lead is on the record, also those that a pattern matches: a replay looks at no disk.
func TestI5_WhereLinksLeadIsReplayed(t *testing.T) {
	work, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(work, "plain.txt"), nil, 0o600))
	b := newBench(t, `(defaults :unknown-tool :ask)
(deftool write :params (:path path :content string) :tier :allow)
(deftool shell :params (:cmd command) :tier :ask)
(defskill guard :gate
  ((deny outside :when (and (= action.tool "write") (some (leads action.args.path) (not (under? it facts.env.cwd)))) :reason "outside")
   (deny redirected
     :when (and (= action.tool "shell")
                (some (shell action.args.cmd) (some (redirected it :write) (not (under? it facts.env.cwd)))))
     :reason "outside")
   (allow looks :when (and (= action.tool "shell") (every (shell action.args.cmd) (fits? it ("cat GLOB...") facts.env.cwd)))
     :reason "looks")))`, "", func(o *Options) { o.Env = sexpr.Plist("cwd", sexpr.Str(work)) })
	write := func(path string) reason.Kind {
		return b.decideOn("write", sexpr.Plist("path", sexpr.Str(path), "content", sexpr.Str("../x")).String()).Kind
	}
	shell := func(cmd string) reason.Kind {
		return b.decideOn("shell", sexpr.Plist("cmd", sexpr.Str(cmd)).String()).Kind
	}
	assert.Equal(t, reason.Allow, write("a.txt"))
	assert.Equal(t, reason.Allow, shell("cat *.txt"))
	assert.Equal(t, reason.Allow, shell("cat plain.txt > b.txt"))
	for name, to := range map[string]string{"a.txt": "../a.txt", "b.txt": "/etc/b.txt", "loop": "loop"} {
		require.NoError(t, os.Symlink(to, filepath.Join(work, name)))
	}
	assert.Equal(t, reason.Deny, write("a.txt"))
	assert.Equal(t, reason.Deny, write("loop"))
	assert.Equal(t, reason.Ask, shell("cat *.txt"))
	assert.Equal(t, reason.Ask, shell("cat l*p"))
	assert.Equal(t, reason.Deny, shell("cat plain.txt > b.txt"))
	for _, name := range []string{"a.txt", "b.txt", "loop"} {
		require.NoError(t, os.Remove(filepath.Join(work, name)))
	}
	b.intact()
}

// Self-protection follows links, too.
func TestSelfProtectionFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	b := newBench(t,
		`(defaults :unknown-tool :ask) (deftool write :params (:path path) :tier :allow)`, "", func(o *Options) {
			o.Dir = state
		})
	link := filepath.Join(dir, "innocent")
	require.NoError(t, os.Symlink(state, link))
	d := b.decideOn("write", sexpr.Plist("path", sexpr.Str(filepath.Join(link, "x"))).String())
	assert.Equal(t, reason.KeyProtection, d.Key)
	b.intact()
}

// slowRealpath asks the system about each part of a path.
func slowRealpath(path string) (string, error) {
	at, todo := "/", strings.Split(path, "/")
	for links := 0; len(todo) > 0; {
		seg := todo[0]
		todo = todo[1:]
		switch seg {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, seg)
		target, err := os.Readlink(next)
		if _, lost := os.Lstat(next); err != nil && (lost == nil || errors.Is(lost, fs.ErrNotExist) ||
			errors.Is(lost, syscall.ENOTDIR)) {
			at = next
			continue
		}
		if links++; err != nil || links > policy.MaxLinks {
			return "", policy.ErrUnseen
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return at, nil
}

// Where a path leads is found without asking about what is below something that does
// not exist, and a long text is not asked about at length.
func TestRealpathIsASlowOne(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	for name, target := range map[string]string{"up": "..", "off": "nowhere/at/all", "a/b/top": dir, "loop": "loop",
		"a/x": "b/gone/../top"} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	failed := 0
	for range 3000 {
		path := dir
		for range rng.IntN(9) {
			path += "/" + []string{"a", "b", "up", "off", "top", "x", "f", "gone", "..", "..", ".", "", "loop"}[rng.IntN(13)]
		}
		want, wantErr := slowRealpath(path)
		got, err := policy.Realpath("realpath", path)
		require.Equal(t, wantErr, err, path)
		require.Equal(t, want, got, path)
		if err != nil {
			failed++
		}
	}
	assert.Positive(t, failed)

	long := dir + "/gone" + strings.Repeat("/some words...", 8<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = policy.Realpath("realpath", long)
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, policy.ErrUnseen)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(512<<10))
}
