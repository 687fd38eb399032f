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

// accepted is a connection that waits to be taken.
type accepted struct {
	fd   int
	pid  int
	wait time.Duration
}

// AcceptFrom waits for a connection and returns the process that made it, and how long that has to wait until it is
// served, since it connects so often. Connections of processes that come much too fast are closed here, faster than
// they can be made, so that they keep no others from connecting. One goroutine at a time may call it.
func (l *Listener) AcceptFrom() (c *net.UnixConn, pid int, wait time.Duration, err error) {
	for len(l.ready) == 0 {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, 0, 0, err
		}
		l.drain()
		if p, err := Of(c); err == nil {
			if wait, served := l.arrivals.count(p.PID, time.Now()); served {
				return c, p.PID, wait, nil
			}
		}
		_ = c.Close() // it gets no answer
	}
	next := l.ready[0]
	l.ready = l.ready[1:]
	f := os.NewFile(uintptr(next.fd), l.path)
	nc, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, 0, 0, err
	}
	return nc.(*net.UnixConn), next.pid, next.wait, nil
}

// drain takes all connections that have been made, and keeps those that are served.
func (l *Listener) drain() {
	raw, err := l.SyscallConn()
	if err != nil {
		return // it was closed
	}
	_ = raw.Control(func(door uintptr) { // likewise
		for len(l.ready) < burst {
			fd, _, err := unix.Accept4(int(door), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNABORTED) {
				continue
			}
			if err != nil {
				return // there are no more, or no descriptors for them
			}
			if cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
				if wait, served := l.arrivals.count(int(cred.Pid), time.Now()); served {
					l.ready = append(l.ready, accepted{fd, int(cred.Pid), wait})
					continue
				}
			}
			_ = unix.Close(fd) // it gets no answer
		}
	})
}
