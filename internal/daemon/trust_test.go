package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each case changes one thing about a folder of rules that is sound.
func TestRuleFilesThatOthersCouldChangeAreRefused(t *testing.T) {
	for _, test := range []struct {
		name, want string                         // want "" means that the file is read
		change     func(t *testing.T, dir string) // the folder that holds rules/lib/r.lisp
	}{
		{"sound", "", func(*testing.T, string) {}},
		{"file of the group",
			"others may write", func(t *testing.T, dir string) { chmod(t, 0o664, dir, "rules/lib/r.lisp") }},
		{"file of everybody",
			"others may write", func(t *testing.T, dir string) { chmod(t, 0o646, dir, "rules/lib/r.lisp") }},
		{"folder of everybody", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, "rules/lib") }},
		{"sticky folder of everybody", "others may write", func(t *testing.T, dir string) {
			chmod(t, 0o777|fs.ModeSticky, dir, "rules/lib")
		}},
		{"the root of everybody", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, "rules") }},
		{"the root of everybody, sticky",
			"others may write", func(t *testing.T, dir string) { chmod(t, 0o777|fs.ModeSticky, dir, "rules") }},
		{"a folder above of everybody", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, ".") }},
		{"a folder above of everybody, sticky as /tmp",
			"", func(t *testing.T, dir string) { chmod(t, 0o777|fs.ModeSticky, dir, ".") }},
		{"somebody else's file", "belongs to uid 4242", func(t *testing.T, dir string) { chown(t, dir, "rules/lib/r.lisp") }},
		{"somebody else's folder", "belongs to uid 4242", func(t *testing.T, dir string) { chown(t, dir, "rules") }},
		{"somebody else's folder above", "belongs to uid 4242", func(t *testing.T, dir string) { chown(t, dir, ".") }},
		{"a link that leads out", "escapes", func(t *testing.T, dir string) {
			write(t, dir, "else/r.lisp", "")
			require.NoError(t, os.Remove(filepath.Join(dir, "rules/lib/r.lisp")))
			require.NoError(t, os.Symlink("../../else/r.lisp", filepath.Join(dir, "rules/lib/r.lisp")))
		}},
		{"a link that stays", "", func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "rules/lib/r.lisp"), filepath.Join(dir, "rules/x.lisp")))
			require.NoError(t, os.Symlink("../x.lisp", filepath.Join(dir, "rules/lib/r.lisp")))
		}},
		{"the root is a link to a sound folder", "", func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "rules"), filepath.Join(dir, "v1")))
			require.NoError(t, os.Symlink("v1", filepath.Join(dir, "rules")))
		}},
		{"the root is a link through a folder of everybody", "others may write", func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "open"), 0o755))
			require.NoError(t, os.Rename(filepath.Join(dir, "rules"), filepath.Join(dir, "v1")))
			require.NoError(t, os.Symlink("../v1", filepath.Join(dir, "open/now")))
			require.NoError(t, os.Symlink("open/now", filepath.Join(dir, "rules")))
			chmod(t, 0o777, dir, "open")
		}},
		{"links in a circle", "too many links", func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "rules"), filepath.Join(dir, "v1")))
			require.NoError(t, os.Symlink("b", filepath.Join(dir, "rules")))
			require.NoError(t, os.Symlink("rules", filepath.Join(dir, "b")))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			write(t, dir, "rules/lib/r.lisp", "(rules)")
			chmod(t, 0o755, dir, "rules/lib")
			test.change(t, dir)
			data, err := fs.ReadFile(trustedFS{filepath.Join(dir, "rules"), os.Geteuid()}, "lib/r.lisp")
			if test.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "(rules)", string(data))
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

func chmod(t *testing.T, mode fs.FileMode, dir, name string) {
	t.Helper()
	require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
}

// chown gives a file to somebody else, which only root may do.
func chown(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Chown(filepath.Join(dir, name), 4242, -1); err != nil {
		t.Skip("SKIPPED: only root can give files away, so this case was not tried")
	}
}

// A record that others could change, or put another in its place, is not served.
func TestRecordsThatOthersCouldChangeAreRefused(t *testing.T) {
	for _, test := range []struct {
		name, want string
		change     func(t *testing.T, dir string)
	}{
		{"sound", "", func(*testing.T, string) {}},
		{"still to be made", "", func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "state")))
		}},
		{"open to everybody", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, "state") }},
		{"open to the group", "others may write", func(t *testing.T, dir string) { chmod(t, 0o770, dir, "state") }},
		{"its log", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, "state/log") }},
		{"a folder above", "others may write", func(t *testing.T, dir string) { chmod(t, 0o777, dir, ".") }},
		{"still to be made in one", "others may write", func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "state")))
			chmod(t, 0o777, dir, ".")
		}},
		{"somebody else's", "belongs to uid 4242", func(t *testing.T, dir string) { chown(t, dir, "state") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "state", "log"), 0o700))
			test.change(t, dir)
			err = checkRecord(filepath.Join(dir, "state"))
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrUntrusted)
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "--trust-rules", "which does not help here")
		})
	}
}
