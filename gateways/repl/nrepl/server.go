package nrepl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
)

// Options configures a server. Repl and Socket are required.
type Options struct {
	// Repl evaluates. Its engine must outlive the server.
	Repl *repl.Repl
	// Socket is the path of the socket; socket.Nrepl is the usual one.
	Socket string
	// Version is Cortex's, for describe.
	Version string

	// Pool is the memory and the turns that all clients share, including those of
	// other servers. nil means one with the defaults of [fair.Options].
	Pool *fair.Pool
	// MaxClients is how many clients are served at a time; 0 means 32.
	MaxClients int
	// MaxSessions is how many sessions one client may have; 0 means 16.
	MaxSessions int
	// Queue is how many evaluations of one client may run or wait; 0 means 64.
	// Further ones are answered with an error.
	Queue int
	// MaxMessage bounds one message from a client, in bytes; 0 means 1 MiB.
	MaxMessage int
	// MaxValue bounds the text of one value, in bytes; 0 means 4 MiB.
	MaxValue int

	// MessageTimeout is how long a message may take to arrive once it has begun;
	// 0 means 10 s.
	MessageTimeout time.Duration
	// WriteTimeout is how long a client may read nothing of its answers; 0 means
	// 20 s.
	WriteTimeout time.Duration
	// EvalTimeout bounds the work on one evaluation; 0 means 10 minutes.
	EvalTimeout time.Duration
	// Grace is how long Close waits for running evaluations; 0 means 5 s.
	Grace time.Duration

	// Logger logs events for the operator; nil discards them.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	for _, f := range []struct {
		v   *int
		def int
	}{{&o.MaxClients, 32}, {&o.MaxSessions, 16}, {&o.Queue, 64}, {&o.MaxMessage, 1 << 20}, {&o.MaxValue, 4 << 20}} {
		if *f.v <= 0 {
			*f.v = f.def
		}
	}
	for _, f := range []struct {
		v   *time.Duration
		def time.Duration
	}{{&o.MessageTimeout, 10 * time.Second}, {&o.WriteTimeout, 20 * time.Second}, {&o.EvalTimeout, 10 * time.Minute},
		{&o.Grace, 5 * time.Second}} {
		if *f.v <= 0 {
			*f.v = f.def
		}
	}
	if o.Pool == nil {
		o.Pool = fair.New(fair.Options{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// evaluator is the part of a [repl.Session] that is used here.
type evaluator interface {
	EvalText(ctx context.Context, file, src string, each func(repl.Result) error) error
	Complete(prefix string) []string
	Lookup(name string) (repl.Doc, bool)
	Close() // forgets the last results
}

// Server serves editors.
type Server struct {
	opt    Options
	open   func(repl.Caller) evaluator
	ops    map[string]op
	ln     *socket.Listener
	places *socket.Places

	// ctx ends when reading stops, work when evaluation stops, with the cause
	// [cortex.ErrClosed].
	ctx   context.Context
	stop  context.CancelFunc
	work  context.Context
	drop  context.CancelCauseFunc
	wg    sync.WaitGroup
	close func() error
}

// Listen opens the socket. Clients that connect wait until [Server.Serve].
func Listen(opt Options) (*Server, error) {
	if opt.Repl == nil || opt.Socket == "" {
		return nil, errors.New("nrepl: Options.Repl and Options.Socket are required")
	}
	return listen(opt, func(c repl.Caller) evaluator { return opt.Repl.Session(c) })
}

func listen(opt Options, open func(repl.Caller) evaluator) (*Server, error) {
	s := &Server{opt: opt.withDefaults(), open: open, ops: ops()}
	s.places = socket.NewPlaces(s.opt.MaxClients)
	var err error
	if s.ln, err = socket.Listen(opt.Socket); err != nil {
		return nil, fmt.Errorf("nREPL: %w", err)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.work, s.drop = context.WithCancelCause(context.Background())
	s.close = sync.OnceValue(s.end)
	return s, nil
}

// Path returns the path of the socket.
func (s *Server) Path() string { return s.ln.Path() }

// Serve serves clients until ctx ends or Close is called, and closes the server.
// Call it once.
func (s *Server) Serve(ctx context.Context) error {
	s.wg.Go(s.accept)
	select {
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	err := s.Close()
	s.wg.Wait() // Close may have run before there was anything to wait for
	return err
}

// Close stops listening and reading, and waits for running evaluations, at most
// Options.Grace. The next engine on the record resumes signals without an answer.
// When Close returns, all goroutines of the server have ended.
func (s *Server) Close() error { return s.close() }

func (s *Server) end() error {
	err := s.ln.Close()
	s.stop()
	late := time.AfterFunc(s.opt.Grace, func() { s.drop(cortex.ErrClosed) })
	s.wg.Wait()
	late.Stop()
	s.drop(cortex.ErrClosed)
	return err
}

// acceptAgain is how long a server without free file descriptors waits before it
// accepts again.
const acceptAgain = 100 * time.Millisecond

func (s *Server) accept() {
	for {
		nc, pid, wait, err := s.ln.AcceptFrom()
		switch {
		case err == nil:
			s.wg.Go(func() {
				s.pause(wait)
				s.receive(nc, pid)
			})
		case errors.Is(err, net.ErrClosed):
			return
		default:
			s.opt.Logger.Error("an nREPL client could not be let in", "error", err)
			s.pause(acceptAgain)
		}
	}
}

// pause waits, unless the server is closed before.
func (s *Server) pause(wait time.Duration) {
	select {
	case <-time.After(wait):
	case <-s.ctx.Done():
	}
}

// receive identifies a client and serves it.
func (s *Server) receive(nc *net.UnixConn, pid int) {
	defer func() { _ = nc.Close() }() // what matters has been written, or cannot be
	if s.places.Full(pid) {           // and a look at who it is would be in vain
		s.full(nc)
		return
	}
	p, err := socket.Admit(nc, os.Geteuid())
	if err != nil {
		s.opt.Logger.Warn("an nREPL client was refused", "uid", p.UID, "pid", p.PID, "error", err)
		s.turnAway(nc, err.Error())
		return
	}
	place := s.places.Take(p.PID, func() { _ = nc.Close() }) // the reader hears of it
	if place == nil {
		s.full(nc)
		return
	}
	defer place.Leave()
	place.Prove() // the kernel has said who it is, and no more is asked
	c := s.newConn(nc, p)
	c.place = place
	c.serve()
}

// full turns a client away for which there is no place.
func (s *Server) full(nc *net.UnixConn) {
	s.opt.Logger.Warn("an nREPL client was turned away: all places are taken", "places", s.opt.MaxClients)
	s.turnAway(nc, fmt.Sprintf("%d clients are connected, and no more are served", s.opt.MaxClients))
}

// turnAway tells a client why it is not served, if it reads at once.
func (s *Server) turnAway(nc *net.UnixConn, text string) {
	_ = nc.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = nc.Write(appendValue(nil, dict{"err": text + "\n", "status": []string{"error", "done"}}))
}
