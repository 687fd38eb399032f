package socket

import (
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How fast one process may connect: so many connections at once, and so many a second after that. One that comes a
// little faster waits; what comes much faster is closed.
const (
	burst      = 256.0
	rate       = 500.0
	manyKnown  = 4096 // processes, from which on those that have not connected for a while are forgotten
	mostInDebt = burst
)

// arrivals are the processes that have connected lately.
type arrivals struct{ by map[int]*arrival }

type arrival struct {
	left float64 // connections that it may make at once
	at   time.Time
}

// count counts a connection of a process. It returns how long this has to wait, or that it comes too fast to be served.
func (a *arrivals) count(pid int, now time.Time) (wait time.Duration, served bool) {
	x := a.by[pid]
	if x == nil {
		a.forget(now)
		x = &arrival{left: burst, at: now}
		a.by[pid] = x
	}
	x.left = min(burst, x.left+rate*now.Sub(x.at).Seconds())
	x.at = now
	if x.left <= 1-mostInDebt {
		return 0, false
	}
	x.left--
	return time.Duration(max(0, -x.left) / rate * float64(time.Second)), true
}

func (a *arrivals) forget(now time.Time) {
	if len(a.by) < manyKnown {
		return
	}
	for pid, x := range a.by {
		if now.Sub(x.at).Seconds()*rate > burst+mostInDebt {
			delete(a.by, pid)
		}
	}
}

// AcceptFrom waits for a connection and returns the process that made it, and how long that has to wait until it is
// served, since it connects so often. Connections of processes that come much too fast are closed here, faster than
// they can be made, so that they keep no others from connecting. One goroutine at a time may call it.
func (l *Listener) AcceptFrom() (c *net.UnixConn, pid int, wait time.Duration, err error) {
	raw, err := l.SyscallConn()
	if err != nil {
		return nil, 0, 0, err
	}
	fd := -1
	if e := raw.Read(func(door uintptr) bool {
		fd, pid, wait, err = l.next(int(door))
		return !errors.Is(err, unix.EAGAIN)
	}); e != nil {
		err = e
	}
	if err != nil {
		return nil, 0, 0, err
	}
	f := os.NewFile(uintptr(fd), l.path)
	nc, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, 0, 0, err
	}
	return nc.(*net.UnixConn), pid, wait, nil
}

// next returns the next connection that is served, or EAGAIN.
func (l *Listener) next(door int) (fd, pid int, wait time.Duration, err error) {
	for {
		fd, _, err = unix.Accept4(door, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
			continue
		case err != nil:
			return -1, 0, 0, err
		}
		if cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			if wait, served := l.arrivals.count(int(cred.Pid), time.Now()); served {
				return fd, int(cred.Pid), wait, nil
			}
		}
		_ = unix.Close(fd) // it gets no answer
	}
}
