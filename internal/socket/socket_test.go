//go:build linux

package socket

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary is also the program that connects from elsewhere.
func TestMain(m *testing.M) {
	if path := os.Getenv("SOCKET_TEST_DIAL"); path != "" {
		c, err := net.Dial("unix", path)
		if err == nil && os.Getenv("SOCKET_TEST_LEAVE") != "" { // the connection is a child's from here on
			var f *os.File
			if f, err = c.(*net.UnixConn).File(); err == nil {
				child := exec.Command("cat")
				child.Stdin, child.Stdout = f, f
				err = child.Start()
			}
		} else if err == nil {
			_, err = io.Copy(os.Stdout, c)
		}
		if err != nil {
			fmt.Println(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func listen(t *testing.T, path string) *Listener {
	t.Helper()
	l, err := Listen(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Mode()
}

func TestListen_ModesWhateverTheUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "run", "cortex")
	l := listen(t, filepath.Join(dir, "s"))
	assert.Equal(t, fs.FileMode(0o700), mode(t, dir).Perm())
	assert.Equal(t, fs.ModeSocket|0o600, mode(t, l.Path()))
	require.NoError(t, l.Close())
	_, err := os.Lstat(l.Path())
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestListen_RefusesFoldersThatAreNotSafe(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.Mkdir(open, 0o700))
	for _, m := range []fs.FileMode{0o777, 0o720, 0o702, 0o777 | fs.ModeSticky} {
		require.NoError(t, os.Chmod(open, m))
		_, err := Listen(filepath.Join(open, "s"))
		assert.ErrorContains(t, err, "others may write it", "%o", m)
	}
	require.NoError(t, os.Chmod(open, 0o700))

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(open, link))
	_, err := Listen(filepath.Join(link, "s"))
	assert.ErrorContains(t, err, "expected a folder")

	foreign := "/proc" // root's
	if os.Geteuid() == 0 {
		foreign = filepath.Join(t.TempDir(), "foreign")
		require.NoError(t, os.Mkdir(foreign, 0o700))
		require.NoError(t, os.Chown(foreign, 65534, 65534))
	}
	_, err = Listen(filepath.Join(foreign, "s"))
	assert.ErrorContains(t, err, "belongs to another user")

	_, err = Listen(filepath.Join(open, strings.Repeat("x", 100)))
	assert.ErrorContains(t, err, "expected at most")
	entries, err := os.ReadDir(open)
	require.NoError(t, err)
	assert.Empty(t, entries, "what was refused leaves nothing behind")
}

func TestListen_ALivingSocketIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l := listen(t, path)
	_, err := Listen(path)
	assert.ErrorIs(t, err, ErrRunning)
	c, err := net.Dial("unix", path)
	require.NoError(t, err, "it still listens")
	require.NoError(t, c.Close())
	require.NoError(t, l.Close())

	// One that knows nothing of our lock.
	other, err := net.Listen("unix", path)
	require.NoError(t, err)
	_, err = Listen(path)
	assert.ErrorIs(t, err, ErrRunning)
	require.NoError(t, other.Close())
	listen(t, path)
}

func TestListen_ADeadSocketIsReplacedAndOtherThingsAreNot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	dead.SetUnlinkOnClose(false)
	require.NoError(t, dead.Close())
	l := listen(t, path)
	c, err := net.Dial("unix", path)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, l.Close())

	for name, put := range map[string]func(string) error{
		"file":   func(p string) error { return os.WriteFile(p, []byte("precious"), 0o600) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"link":   func(p string) error { return os.Symlink("elsewhere", p) },
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, put(path))
		_, err := Listen(path)
		assert.ErrorContains(t, err, "not a socket", name)
		mode(t, path)
	}
}

func TestClose_LeavesTheSocketOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l := listen(t, path)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, l.Close())
	mode(t, path)
}

// connect runs this binary so that it connects to l, and returns who it was.
func connect(t *testing.T, l *Listener, change func(*exec.Cmd)) (Peer, *exec.Cmd) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SOCKET_TEST_DIAL="+l.Path())
	change(cmd)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() })
	c, err := l.AcceptUnix()
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	p, err := Of(c)
	require.NoError(t, err)
	return p, cmd
}

func TestOf_TheKernelSaysWhoItIs(t *testing.T) {
	l := listen(t, filepath.Join(t.TempDir(), "s"))
	p, cmd := connect(t, l, func(*exec.Cmd) {})
	assert.Equal(t, Peer{UID: os.Getuid(), PID: cmd.Process.Pid}, p)
	assert.NoError(t, p.Check(os.Getuid()))
	assert.ErrorIs(t, p.CheckDescent(os.Getpid()), ErrRefused)
	assert.NoError(t, Peer{UID: p.UID, PID: os.Getpid()}.CheckDescent(os.Getpid()), "the process itself is not a child")
	assert.NoError(t, Peer{UID: p.UID, PID: os.Getppid()}.CheckDescent(os.Getpid()))
	assert.ErrorIs(t, Peer{}.CheckDescent(os.Getpid()), ErrRefused, "in another PID namespace: its parents are unknown")
	first := p.PID
	for up, err := parent(first); err == nil && up > 0; up, err = parent(up) {
		first = up
	}
	assert.ErrorIs(t, p.CheckDescent(first), ErrRefused, "a daemon that is the first process of a container")
	assert.NoError(t, Peer{PID: 1}.CheckDescent(1))
}

// A grandchild whose name looks like the middle of /proc/PID/stat.
func TestCheckDescent_AtAnyDistanceAndByAnyName(t *testing.T) {
	l := listen(t, filepath.Join(t.TempDir(), "s"))
	exe, err := os.Executable()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), ") S 1 1 (x")
	require.NoError(t, os.Symlink(exe, name))
	p, cmd := connect(t, l, func(c *exec.Cmd) {
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `"$1"; :`, "sh", name}
	})
	assert.NotEqual(t, cmd.Process.Pid, p.PID, "the shell has a child")
	assert.ErrorIs(t, p.CheckDescent(os.Getpid()), ErrRefused)
}

func TestCheck_OwnUidAndRootAlone(t *testing.T) {
	for _, c := range []struct {
		own, uid int
		ok       bool
	}{{1000, 1000, true}, {1000, 0, true}, {1000, 1001, false}, {0, 0, true}, {0, 1000, false}, {1000, -1, false}} {
		err := Peer{UID: c.uid}.Check(c.own)
		assert.Equal(t, c.ok, err == nil, "%+v", c)
		assert.True(t, c.ok || assert.ErrorIs(t, err, ErrRefused))
	}
	assert.Equal(t, "uid-4000000000", Peer{UID: 4000000000}.Name())
	assert.Equal(t, "root", Peer{}.Name())
}

func TestGone_TellsAHalfFromTheWhole(t *testing.T) {
	l := listen(t, filepath.Join(t.TempDir(), "s"))
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: l.Path(), Net: "unix"})
	require.NoError(t, err)
	s, err := l.AcceptUnix()
	require.NoError(t, err)
	defer s.Close()
	assert.False(t, Gone(s))
	require.NoError(t, c.CloseWrite())
	_, err = s.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	assert.False(t, Gone(s))
	require.NoError(t, c.Close())
	assert.True(t, Gone(s))
}

// A daemon that was killed while it started a tool leaves its lock to the child
// for a moment. Anyone who comes next waits for that.
func TestListenWaitsForWhatAKilledDaemonWasStarting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.sock")
	lock, err := os.OpenFile(path+locked, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	released := make(chan error, 1)
	time.AfterFunc(probing/10, func() { released <- lock.Close() })
	l, err := Listen(path)
	require.NoError(t, err)
	require.NoError(t, <-released)
	require.NoError(t, l.Close())
}

// The process that connected has ended, and another holds its connection. It can no longer be determined who started
// it: not by its number, which may be another's by now.
func TestRow095_WhoseAncestorsCannotBeReadIsRefused(t *testing.T) {
	l := listen(t, filepath.Join(t.TempDir(), "s"))
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SOCKET_TEST_DIAL="+l.Path(), "SOCKET_TEST_LEAVE=1")
	require.NoError(t, cmd.Run())
	c, err := l.AcceptUnix()
	require.NoError(t, err)
	defer c.Close() // which ends the child
	p, err := Of(c)
	require.NoError(t, err)
	require.Equal(t, cmd.Process.Pid, p.PID)
	assert.ErrorIs(t, p.CheckDescent(os.Getpid()), ErrRefused)
	assert.ErrorIs(t, Peer{UID: os.Getuid(), PID: 1 << 29}.CheckDescent(os.Getpid()), ErrRefused,
		"no such process")
}

func TestEnded(t *testing.T) {
	l := listen(t, filepath.Join(t.TempDir(), "s"))
	own, err := net.Dial("unix", l.Path())
	require.NoError(t, err)
	defer own.Close()
	c, err := l.AcceptUnix()
	require.NoError(t, err)
	defer c.Close()
	assert.False(t, Ended(c), "this process lives")
	p, err := Admit(c, os.Getuid())
	require.NoError(t, err, "and is not a child of its own")
	assert.Equal(t, os.Getpid(), p.PID)
	if os.Getuid() != 0 { // who is always served
		_, err = Admit(c, os.Getuid()+1)
		assert.ErrorIs(t, err, ErrRefused)
	}
}
