package socket

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxPath = 107     // bytes that the kernel takes as the path of a socket
	locked  = ".lock" // behind the path of a socket: who serves it holds a lock on this file
	probing = time.Second
)

// Listener is a socket that this process serves.
type Listener struct {
	*net.UnixListener
	path string
	file fs.FileInfo
	lock *os.File
	once sync.Once
	err  error

	arrivals arrivals
	ready    []accepted
}

// Listen serves a socket at path. Its folder is made with mode 0700 if there is
// none; one that others may write, or that belongs to another user, is refused.
// A socket that a process left behind is replaced; one that a living process
// serves is [ErrRunning].
func Listen(path string) (*Listener, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if len(path) > maxPath {
		return nil, fmt.Errorf("socket %s: the path is %d bytes long, expected at most %d: the system takes no more", path,
			len(path), maxPath)
	}
	if err := secureFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := hold(path)
	if err != nil {
		return nil, err
	}
	l := &Listener{path: path, lock: lock, arrivals: arrivals{by: map[int]*arrival{}}}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("socket %s: %w", path, err), lock.Close())
	}
	return l, nil
}

// secureFolder makes the folder, or sees that it is one where no other user can
// put a socket. What stands above it is not looked at: both ends of a connection
// check who is at the other.
func secureFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s: is a %s, expected a folder of mode 0700 for sockets", dir, info.Mode().Type())
	case !ok || int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s: belongs to another user, expected a folder of your own with mode 0700", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others may write it (mode %04o), expected mode 0700", dir, info.Mode().Perm())
	}
	return nil
}

// hold locks the socket's path for this process. The file stays: anyone who removed
// it could remove one that another process has just locked.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path+locked, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	// A daemon that is killed while it starts a tool leaves the lock to the child
	// until that is another program, so the lock may soon be free.
	for late := time.Now().Add(probing); ; time.Sleep(probing / 100) {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(late) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrRunning
	}
	return nil, errors.Join(fmt.Errorf("socket %s: %w", path, err), f.Close())
}

// open makes the socket. It gets its mode before its place: anyone who can see it
// sees it with mode 0600, whatever the umask is.
func (l *Listener) open() error {
	if err := vacate(l.path); err != nil {
		return err
	}
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if e := c.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), 0o600) }); e != nil {
			err = e
		}
		return err
	}}
	ln, err := config.Listen(context.Background(), "unix", l.path)
	if err != nil {
		return err
	}
	l.UnixListener = ln.(*net.UnixListener)
	l.SetUnlinkOnClose(false)
	if l.file, err = os.Lstat(l.path); err != nil {
		return errors.Join(err, ln.Close())
	}
	return nil
}

// vacate sees that nothing is in the socket's place. A socket on which no process
// listens is removed.
func vacate(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("there is a %s of that name, which is not a socket", kind(info))
	}
	c, err := net.DialTimeout("unix", path, probing)
	if err == nil {
		return errors.Join(ErrRunning, c.Close())
	}
	if errors.Is(err, unix.ECONNREFUSED) {
		return os.Remove(path)
	}
	return fmt.Errorf("%w, or did: %w", ErrRunning, err)
}

func kind(info fs.FileInfo) string {
	if info.IsDir() {
		return "folder"
	}
	return "file"
}

// Path returns where the socket stands, as an absolute path.
func (l *Listener) Path() string { return l.path }

// Close stops listening and removes the socket, unless another stands in its
// place by now.
func (l *Listener) Close() error {
	l.once.Do(func() {
		if info, err := os.Lstat(l.path); err == nil && os.SameFile(info, l.file) {
			l.err = os.Remove(l.path)
		}
		l.err = errors.Join(l.err, l.UnixListener.Close(), l.lock.Close())
	})
	return l.err
}

// Of returns the process that was at the other end when the connection was made.
func Of(c *net.UnixConn) (Peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var cred *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		err = e
	}
	if err != nil {
		return Peer{}, fmt.Errorf("who is at the other end: %w", err)
	}
	return Peer{UID: int(cred.Uid), PID: int(cred.Pid)}, nil
}

// Ended reports that the process that made the connection has ended, so that its
// number may be another's by now, and what is read under it somebody else's. Linux
// can say so from 6.5 on; before that the answer is false.
func Ended(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	ended := false
	err = raw.Control(func(fd uintptr) {
		pidfd, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if err != nil {
			ended = !errors.Is(err, unix.ENOPROTOOPT)
			return
		}
		p := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, 0)
		ended = errors.Join(err, unix.Close(pidfd)) != nil || n > 0
	})
	return ended || err != nil
}

// Gone reports whether the other end has closed the connection as a whole, and
// not only its own half.
func Gone(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(p, 0)
		gone = err == nil && p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return gone || err != nil
}

// maxAncestors bounds the walk up a tree of processes that changes meanwhile.
const maxAncestors = 1024

// descends reports whether ancestor started the process pid, at whatever distance.
// It errs where a process on the way cannot be read, also because it has ended
// meanwhile: then it cannot be determined.
func descends(pid, ancestor int) (bool, error) {
	if pid <= 0 {
		return false, errors.New("it is in another PID namespace")
	}
	for range maxAncestors {
		up, err := parent(pid)
		switch {
		case errors.Is(err, fs.ErrNotExist) && foreign(pid):
			return false, nil
		case err != nil:
			return false, err
		case up == ancestor: // also 1, where the daemon is all there is in a container
			return true, nil
		case up <= 0:
			return false, nil
		}
		pid = up
	}
	return false, errors.New("its ancestors have no end")
}

// foreign reports that a process that /proc hides (hidepid) belongs to another
// user, and that none of ours can: under no_new_privs no descendant gains another
// uid.
func foreign(pid int) bool {
	fixed, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return err == nil && fixed == 1 && os.Geteuid() != 0 && errors.Is(unix.Kill(pid, 0), unix.EPERM)
}

// parent returns the pid of a process's parent, 0 for one that has none here. In
// /proc/PID/stat it comes behind the name, which may itself have blanks and
// parentheses.
func parent(pid int) (int, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text[max(0, bytes.LastIndexByte(text, ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/stat: %.100q has no parent", pid, text)
	}
	return strconv.Atoi(fields[1])
}

// Allow lets a process of the user uid connect, besides the socket's owner: by an
// entry in the access lists of the socket, and of its folder.
func (l *Listener) Allow(uid int) error {
	if err := grant(filepath.Dir(l.path), uid, 1); err != nil {
		return err
	}
	return grant(l.path, uid, 6)
}

// grant lets one more user do to a file what bits say: by a POSIX access list,
// which leaves the others as the file's mode has them.
func grant(path string, uid int, bits uint16) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	const unnamed = 0xffffffff // of entries that name no user
	mode := uint16(info.Mode().Perm())
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, bits uint16
		id        uint32
	}{{0x01, mode >> 6, unnamed}, {0x02, bits, uint32(uid)}, {0x04, mode >> 3 & 7, unnamed},
		{0x10, mode>>3&7 | bits, unnamed}, {0x20, mode & 7, unnamed}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.bits)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	if err := unix.Setxattr(path, "system.posix_acl_access", list, 0); err != nil {
		return fmt.Errorf("let uid %d in at %s: %w", uid, path, err)
	}
	return nil
}
