package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/internal/socket"
)

// door takes connections in, and looks at who is there beside those that it has let in.
type door struct {
	net.Listener
	b     *bounds
	log   *slog.Logger
	next  func() (c net.Conn, pid int, wait time.Duration, err error)
	admit func(net.Conn) (caller, error)
	in    chan *conn // those that were let in

	ctx  context.Context // ends with the door
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func newDoor(l net.Listener, b *bounds, log *slog.Logger) *door {
	d := &door{Listener: l, b: b, log: log, in: make(chan *conn)}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.admit = func(net.Conn) (caller, error) { return caller{user: "token", token: true}, nil }
	d.next = func() (net.Conn, int, time.Duration, error) {
		c, err := l.Accept()
		return c, 0, 0, err
	}
	if l, ok := l.(*socket.Listener); ok {
		d.admit = d.admitProcess
		d.next = func() (net.Conn, int, time.Duration, error) {
			c, pid, wait, err := l.AcceptFrom()
			return c, pid, wait, err
		}
	}
	return d
}

// admitProcess lets in processes of this user that this process did not start.
func (d *door) admitProcess(c net.Conn) (caller, error) {
	p, err := socket.Admit(c.(*net.UnixConn), os.Geteuid())
	if err != nil {
		d.log.Warn("a caller was refused", "socket", d.Addr().String(), "uid", p.UID, "pid", p.PID, "error", err)
		return caller{}, err
	}
	return callerOf(p), nil
}

// acceptAgain is how long a door without free file descriptors waits.
const acceptAgain = 100 * time.Millisecond

// open takes connections until the door is closed, and waits for those that are looked at.
func (d *door) open() {
	defer d.wg.Wait()
	for {
		nc, pid, wait, err := d.next()
		switch {
		case err == nil:
			d.receive(nc, pid, wait)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			d.log.Error("a caller could not be let in", "error", err)
			d.pause(acceptAgain)
		}
	}
}

// pause waits, unless the door closes before.
func (d *door) pause(wait time.Duration) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-d.ctx.Done():
	}
}

// receive counts a connection, and has it looked at: that reads what the kernel knows of several processes.
func (d *door) receive(nc net.Conn, pid int, wait time.Duration) {
	c := d.b.enter(pid, nc)
	d.wg.Go(func() {
		if wait > 0 {
			d.pause(wait)
		}
		var err error
		if c.from, err = d.admit(nc); err == nil {
			select {
			case d.in <- c:
				return
			case <-d.ctx.Done():
			}
		}
		_ = c.Close() // it gets no answer
	})
}

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.in:
		return c, nil
	case <-d.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (d *door) Close() error {
	d.stop()
	return d.Listener.Close()
}
