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
	admit func(net.Conn) (caller, error)
	pid   func(net.Conn) (int, error)
	in    chan *conn // those that were let in

	ctx  context.Context // ends with the door
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func newDoor(l net.Listener, b *bounds, log *slog.Logger) *door {
	d := &door{Listener: l, b: b, log: log, in: make(chan *conn)}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.admit = func(net.Conn) (caller, error) { return caller{user: "token", token: true}, nil }
	d.pid = func(net.Conn) (int, error) { return 0, nil }
	if l, ok := l.(*socket.Listener); ok {
		d.admit, d.pid = d.admitProcess, processOf
		d.Listener = l
	}
	return d
}

// processOf is the number of the process at the other end.
func processOf(c net.Conn) (int, error) {
	p, err := socket.Of(c.(*net.UnixConn))
	return p.PID, err
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
		nc, err := d.Listener.Accept()
		switch {
		case err == nil:
			d.receive(nc)
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
func (d *door) receive(nc net.Conn) {
	pid, err := d.pid(nc)
	if err != nil {
		_ = nc.Close() // it gets no answer
		return
	}
	c, wait := d.b.enter(pid, nc)
	d.wg.Go(func() {
		if wait > 0 {
			d.pause(wait)
		}
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
