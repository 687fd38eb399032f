package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file beside a program is pinned like the program.
func TestPinnedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate.py")
	require.NoError(t, os.WriteFile(path, []byte("pass"), 0o600))
	_, sum, err := ReadFile(path)
	require.NoError(t, err)
	d, err := PinnedFile(path, sum)
	require.NoError(t, err)
	assert.Equal(t, File{"gate.py", []byte("pass")}, d)
	require.NoError(t, os.WriteFile(path, []byte("allow"), 0o600))
	_, err = PinnedFile(path, sum)
	assert.ErrorAs(t, err, new(*ChecksumError))
}

// And so is the program itself.
func TestPinned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o700))
	p, err := Open(path)
	require.NoError(t, err)
	p.Close()
	p, err = Pinned(path, p.Sum)
	require.NoError(t, err)
	p.Close()
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o700))
	_, err = Pinned(path, p.Sum)
	assert.ErrorAs(t, err, new(*ChecksumError))
}

// A symbolic link is somebody else's choice of program.
func TestAProgramIsNoLink(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(exe, link))
	_, err = Open(link)
	assert.ErrorContains(t, err, "not a regular file")
}

// Another process on a plugin's socket is not the plugin.
func TestPeerMustBeTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer conn.Close()
	assert.NoError(t, CheckPeer(conn.(*net.UnixConn), os.Getpid()))
	assert.ErrorContains(t, CheckPeer(conn.(*net.UnixConn), os.Getpid()+1), "listens on its socket")
}
