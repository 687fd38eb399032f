//go:build linux

package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An operator with an account of their own: the approval socket serves that account and root, and nothing
// that has the daemon's uid. As root, the modes are tried too; a client that this process starts gets past them,
// and past the uid, and is refused for its ancestors.
func TestRow095_AnOperatorOfAnotherAccount(t *testing.T) {
	uid := 65534
	if os.Geteuid() != 0 {
		uid = os.Geteuid() + 1
	}
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo), func(s setup) { s.Wire.Operator = &uid })
	for _, d := range h.server.doors {
		want := []int{os.Geteuid(), uid}
		if d.approval {
			want = want[1:]
		}
		assert.Equal(t, want, d.uids)
	}
	if os.Geteuid() != 0 {
		assert.Contains(t, h.away(h.opt.Approvals, frame(hi), func(*exec.Cmd) {}), "and root are served here")
		t.Skip("SKIPPED: only root can run a client as another user, so only this process was refused here")
	}
	exe := filepath.Join(t.TempDir(), "client")
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(exe, text, 0o755))
	unlock(t, exe)
	for path := filepath.Dir(filepath.Dir(h.opt.Socket)); path != os.TempDir(); path = filepath.Dir(path) {
		require.NoError(t, os.Chmod(path, 0o711))
	}
	as := func(uid int) func(*exec.Cmd) {
		return func(c *exec.Cmd) {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
			c.Path, c.Dir = exe, "/"
		}
	}
	for _, path := range []string{h.opt.Approvals, h.opt.Socket} {
		assert.Contains(t, h.away(path, frame(hi), as(uid)),
			"processes that the daemon started", "its access list lets it in")
		assert.Contains(t, h.away(path, frame(hi), as(uid-1)), "permission denied", "and no other")
	}
}
