package socket

import (
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How fast one process may connect: so many connections at once, and after that so many a second as all processes
// share that have no more of these. One that comes a little faster waits; what comes much faster is closed after a
// while, so that it does not come again at once.
const (
	burst      = 256.0
	rate       = 600.0
	mostInDebt = time.Second
	recently   = time.Second
	manyKnown  = 4096 // processes, from which on those that have not connected for a while are forgotten
	manyClosed = 512  // connections that wait for their end
)

// arrivals are the processes that have connected lately.
type arrivals struct {
	by      map[int]*arrival
	hurry   int       // how many of them share the rate
	counted time.Time // when hurry was
}

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
	share := a.share(now)
	x.left = min(burst, x.left+share*now.Sub(x.at).Seconds())
	x.at = now
	if wait = time.Duration(max(0, 1-x.left) / share * float64(time.Second)); wait > mostInDebt {
		return 0, false
	}
	x.left--
	return wait, true
}

// share is how many connections a second each process may make that has no more of its own.
func (a *arrivals) share(now time.Time) float64 {
	if now.Sub(a.counted) > recently/10 {
		a.hurry, a.counted = 0, now
		for _, x := range a.by {
			if x.left < 1 && now.Sub(x.at) < recently {
				a.hurry++
			}
		}
	}
	return rate / float64(max(1, a.hurry))
}

func (a *arrivals) forget(now time.Time) {
	if len(a.by) < manyKnown {
		return
	}
	for pid, x := range a.by {
		if now.Sub(x.at) > time.Minute {
			delete(a.by, pid)
		}
	}
}

// closing is a connection that is not served and will be closed.
type closing struct {
	fd int
	at time.Time
}

// accepted is a connection that waits to be taken.
type accepted struct {
	fd   int
	pid  int
	wait time.Duration
}

// AcceptFrom waits for a connection and returns the process that made it, and how long that has to wait until it is
// served, since it connects so often. Connections of processes that come much too fast are taken and closed here, so
// that they keep no others from connecting. One goroutine at a time may call it.
func (l *Listener) AcceptFrom() (c *net.UnixConn, pid int, wait time.Duration, err error) {
	for len(l.ready) == 0 {
		c, err := l.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				l.drop(len(l.closing))
			}
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
	now := time.Now()
	l.drop(len(l.closing) - manyClosed)
	for len(l.closing) > 0 && now.Sub(l.closing[0].at) > recently {
		l.drop(1)
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
			l.closing = append(l.closing, closing{fd, now})
		}
	})
}

// drop closes the oldest n connections that are not served.
func (l *Listener) drop(n int) {
	for range n {
		_ = unix.Close(l.closing[0].fd) // it gets no answer
		l.closing = l.closing[1:]
	}
}
