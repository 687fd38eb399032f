package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/sexpr"
)

// Room for signals that are being answered, whether or not their clients are
// still there. Each takes as much as its text and something on top.
const (
	signalRoom = 64 << 20
	signalCost = 16 << 10
)

// evaluator evaluates the forms of one client in one session. It is what a server
// wants of a [repl.Session].
type evaluator interface {
	Eval(ctx context.Context, form sexpr.Value) (repl.Result, error)
}

// Server serves one engine on Unix sockets.
type Server struct {
	opt      Options
	open     func(repl.Caller) evaluator
	record   string
	doors    []*door
	approval string // the path of the approval socket, for those who knock at the wrong one

	// ctx ends when nothing more is to be read, work when nothing more is to be
	// answered, with the cause [cortex.ErrClosed].
	ctx  context.Context
	stop context.CancelFunc
	work context.Context
	drop context.CancelCauseFunc

	crier     *crier              // tells approvers of cards
	room      *semaphore.Weighted // of signals
	pool      *fair.Pool          // what clients may hold, and whose turn it is
	lingering atomic.Int64        // connections that have broken the rules and are not closed yet
	hurrying  atomic.Int64        // clients that send faster than people and programs that wait for answers do
	wg        sync.WaitGroup      // everything that runs
	starting  sync.Mutex          // Serve starts everything that runs, or Close came first
	close     func() error
}

// door is one of the sockets.
type door struct {
	*socket.Listener
	approval bool
	uids     []int // that it serves besides root's
	places   *socket.Places
	max      int
}

// Listen opens the sockets. Clients that connect wait until [Server.Serve].
func Listen(opt Options) (*Server, error) {
	if opt.Repl == nil {
		return nil, errors.New("wire: Options.Repl is missing")
	}
	return listen(opt, func(c repl.Caller) evaluator { return opt.Repl.Session(c) })
}

func listen(opt Options, open func(repl.Caller) evaluator) (*Server, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{opt: opt, open: open, room: semaphore.NewWeighted(signalRoom), pool: opt.Pool}
	s.crier = &crier{s: s, to: map[*conn]bool{}}
	if opt.Record != "" {
		if s.record, err = socket.RecordID(opt.Record); err != nil {
			return nil, err
		}
	}
	for _, d := range []*door{{max: opt.MaxClients}, {approval: true, max: max(opt.MaxClients/8, 8)}} {
		path := opt.Socket
		if d.approval {
			path = opt.Approvals
		}
		if path == "" {
			continue
		}
		if d.Listener, err = socket.Listen(path); err != nil {
			return nil, errors.Join(err, s.shut())
		}
		d.uids = []int{os.Geteuid()}
		if d.approval {
			s.approval = d.Path()
		}
		if op := opt.Operator; op != nil {
			d.uids = append(d.uids, *op)
			if d.approval { // what tools start has the daemon's own
				d.uids = d.uids[1:]
			}
			if err := d.Allow(*op); err != nil {
				return nil, errors.Join(err, d.Close(), s.shut())
			}
		}
		d.places = socket.NewPlaces(d.max)
		s.doors = append(s.doors, d)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.work, s.drop = context.WithCancelCause(context.Background())
	s.close = sync.OnceValue(s.end)
	return s, nil
}

// shut closes the sockets, so that no client connects any more.
func (s *Server) shut() error {
	var errs []error
	for _, d := range s.doors {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// Serve serves clients until ctx ends or somebody calls Close, and closes the
// server. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	s.start()
	select {
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return s.Close()
}

// start takes clients in, unless Close came first.
func (s *Server) start() {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	for _, d := range s.doors {
		s.wg.Go(func() { s.accept(d) })
	}
}

// Close stops listening and reading, waits for what is being answered, for
// Options.Grace at most, and lets those answers out. Signals that are not
// answered by then are taken up by the next engine that is opened on the record.
// When it returns, nothing of the server runs.
func (s *Server) Close() error { return s.close() }

func (s *Server) end() error {
	err := s.shut()
	s.starting.Lock()
	s.stop()
	s.starting.Unlock()
	late := time.AfterFunc(s.opt.Grace, func() { s.drop(cortex.ErrClosed) })
	s.wg.Wait()
	late.Stop()
	s.drop(cortex.ErrClosed)
	return err
}

// acceptAgain is how long a server that cannot take a connection, for want of
// file descriptors, waits before it tries again.
const acceptAgain = 100 * time.Millisecond

// accept takes clients in until the socket is closed. One that comes again and again waits, and no other does.
func (s *Server) accept(d *door) {
	for {
		nc, pid, wait, err := d.AcceptFrom()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			s.opt.Logger.Error("a client could not be let in", "socket", d.Path(), "error", err)
			if pause(s.ctx, acceptAgain) != nil {
				return
			}
			continue
		}
		s.wg.Go(func() {
			_ = pause(s.ctx, wait) // anyone who ends ctx closes the socket too
			s.receive(d, nc, pid)
		})
	}
}

// receive sees who a client is and serves it.
func (s *Server) receive(d *door, nc *net.UnixConn, pid int) {
	defer func() { _ = nc.Close() }() // what matters has been written, or cannot be
	if d.places.Full(pid) {           // and a look at who it is would be in vain
		s.full(d, nc, pid)
		return
	}
	p, err := socket.Admit(nc, d.uids...)
	if err != nil {
		s.opt.Logger.Warn("a client was refused", "socket", d.Path(), "uid", p.UID, "pid", p.PID, "error", err)
		s.turnAway(nc, codeRefused, err.Error())
		return
	}
	place := d.places.Take(p.PID, func() { _ = nc.Close() }) // the reader hears of it
	if place == nil {
		s.full(d, nc, p.PID)
		return
	}
	defer place.Leave()
	c := s.newConn(d, nc, p)
	if c.place = place; !d.approval {
		place.Prove()
	}
	c.serve()
}

// full turns a client away for which there is no place.
func (s *Server) full(d *door, nc *net.UnixConn, pid int) {
	s.opt.Logger.Warn("a client was turned away: all places are taken", "socket", d.Path(), "places", d.max, "pid", pid)
	s.turnAway(nc, codeLimit,
		fmt.Sprintf("%d clients are connected, and no more are served; try again when one has left", d.max))
}

// turnAway says why somebody is not served, if they listen at once.
func (s *Server) turnAway(nc *net.UnixConn, code, text string) {
	_ = nc.SetWriteDeadline(time.Now().Add(time.Second))
	_ = sexpr.WriteFrame(nc, logFrame(code, text))
}
