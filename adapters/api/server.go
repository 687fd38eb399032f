package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/socket"
)

// Options configure a Server.
type Options struct {
	Engine *cortex.Engine
	Socket string // path of the Unix socket; "" for none
	// Addr is a loopback address and port for callers that cannot reach the socket; "" for
	// none. Every request on it shows Token.
	Addr, Token string
	Agent       string        // the principal that asks; "" means "agent"
	Version     string        // of the program
	Grace       time.Duration // for what is being answered at a stop; 0 means 5 s
	Logger      *slog.Logger
	// Metrics answers GET /metrics, for Prometheus; nil for none.
	Metrics http.Handler
}

// MaxCallers is how many requests are answered at a time, those that wait for people among
// them.
const MaxCallers = 512

// Limits of a server.
const (
	maxBody = 32 << 20         // of a request, in bytes: a result with its quotes
	maxHold = time.Hour        // for people
	slowest = 30 * time.Second // for a request to arrive
)

// Server answers callers of one engine.
type Server struct {
	opt   Options
	talks conversations
	http  http.Server
	doors []net.Listener
	room  chan struct{}
	ctx   context.Context // ends at a stop, for those who wait
	stop  context.CancelFunc
}

// Listen opens the socket and the port. Callers that connect wait until [Server.Serve].
func Listen(opt Options) (*Server, error) {
	if opt.Agent == "" {
		opt.Agent = "agent"
	}
	if opt.Grace == 0 {
		opt.Grace = 5 * time.Second
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{opt: opt, talks: conversations{live: living, by: map[string]*conversation{}},
		room: make(chan struct{}, MaxCallers)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = http.Server{Handler: s.handler(), ReadHeaderTimeout: slowest, ConnContext: withCaller,
		ErrorLog: slog.NewLogLogger(opt.Logger.Handler(), slog.LevelWarn)}
	if opt.Socket != "" {
		l, err := socket.Listen(opt.Socket)
		if err != nil {
			return nil, err
		}
		s.doors = append(s.doors, &guarded{l, opt.Logger})
	}
	if opt.Addr != "" {
		l, err := loopback(opt.Addr, opt.Token)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.doors = append(s.doors, l)
	}
	return s, nil
}

// minToken is the least length of a token, in bytes.
const minToken = 32

func loopback(addr, token string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("api: address %q, expected a loopback address with a port, such as 127.0.0.1:7077", addr)
	}
	if len(token) < minToken {
		return nil, fmt.Errorf("api: the token for %s is %d bytes long, expected at least %d", addr, len(token), minToken)
	}
	return net.Listen("tcp", addr)
}

// Serve answers until ctx ends or Close is called.
func (s *Server) Serve(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, l := range s.doors {
		wg.Go(func() { _ = s.http.Serve(l) }) // it ends with Close, and says only that
	}
	select {
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	err := s.Close()
	wg.Wait()
	return err
}

// Close stops listening, ends what waits for people, and gives the rest its time.
func (s *Server) Close() error {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), s.opt.Grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	for _, l := range s.doors { // those that never served
		if e := l.Close(); e != nil && !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// guarded admits processes of this user that this process did not start.
type guarded struct {
	*socket.Listener
	log *slog.Logger
}

type admitted struct {
	net.Conn
	from caller
}

// Accept implements [net.Listener].
func (g *guarded) Accept() (net.Conn, error) {
	for {
		c, err := g.AcceptUnix()
		if err != nil {
			return nil, err
		}
		p, err := socket.Admit(c, os.Geteuid())
		if err == nil {
			return &admitted{c, callerOf(p)}, nil
		}
		g.log.Warn("a caller was refused", "socket", g.Path(), "uid", p.UID, "pid", p.PID, "error", err)
		_ = c.Close() // it gets no answer
	}
}

type callerKey struct{}

func withCaller(ctx context.Context, c net.Conn) context.Context {
	from := caller{user: "token", token: true}
	if a, ok := c.(*admitted); ok {
		from = a.from
	}
	return context.WithValue(ctx, callerKey{}, from)
}

// allowed reports why a request may not be answered: over TCP it shows the token, and
// neither a browser's page nor another name for this machine brings it here.
func (s *Server) allowed(r *http.Request, from caller) error {
	if r.Header.Get("Origin") != "" {
		return errors.New("requests from web pages are not answered")
	}
	if !from.token {
		return nil
	}
	if host, err := netip.ParseAddrPort(r.Host); err != nil || !host.Addr().IsLoopback() {
		return fmt.Errorf("the Host header is %q, expected a loopback address with the port", r.Host)
	}
	shown := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	want := sha256.Sum256([]byte("Bearer " + s.opt.Token))
	if subtle.ConstantTimeCompare(shown[:], want[:]) != 1 {
		return errors.New("the Authorization header does not show the token of this daemon, expected Bearer TOKEN")
	}
	return nil
}

// metrics lets Prometheus read, as anybody else who may ask here.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if err := s.allowed(r, r.Context().Value(callerKey{}).(caller)); err != nil {
		answer(w, http.StatusForbidden, Failure{err.Error()})
		return
	}
	s.opt.Metrics.ServeHTTP(w, r)
}

// status is an error with the HTTP status that says it.
type status struct {
	code int
	err  error
}

func (s *status) Error() string { return s.err.Error() }
func (s *status) Unwrap() error { return s.err }

func wrong(code int, format string, args ...any) error {
	return &status{code, fmt.Errorf(format, args...)}
}

// method answers the body of a request.
type method[In, Out any] func(ctx context.Context, from caller, in In) (Out, error)

// endpoint makes a handler of a method.
func endpoint[In, Out any](s *Server, f method[In, Out]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := r.Context().Value(callerKey{}).(caller)
		if err := s.allowed(r, from); err != nil {
			answer(w, http.StatusForbidden, Failure{err.Error()})
			return
		}
		select {
		case s.room <- struct{}{}:
			defer func() { <-s.room }()
		default:
			answer(w, http.StatusTooManyRequests, Failure{"too many requests are being answered; try again when some are"})
			return
		}
		var in In
		if err := decode(w, r, &in); err != nil {
			answer(w, http.StatusBadRequest, Failure{err.Error()})
			return
		}
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(s.ctx, func() { cancel(cortex.ErrClosed) })()
		out, err := f(ctx, from, in)
		if err != nil {
			s.fail(w, err)
			return
		}
		answer(w, http.StatusOK, out)
	}
}

// decode reads the body. A key that the request does not know is an error.
func decode(w http.ResponseWriter, r *http.Request, in any) error {
	if r.Method == http.MethodGet {
		return nil
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return fmt.Errorf("the body is not a request of %s: %w", r.URL.Path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the request's JSON, expected one object")
	}
	return nil
}

func (s *Server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	var st *status
	var busy *cortex.BusyError
	switch {
	case errors.As(err, &st):
		code = st.code
	case errors.As(err, &busy):
		code = http.StatusTooManyRequests
	case errors.Is(err, errOwner), errors.Is(err, cortex.ErrOtherMessage):
		code = http.StatusConflict
	case errors.Is(err, cortex.ErrClosed):
		code = http.StatusServiceUnavailable
	default:
		s.opt.Logger.Error("a request failed", "error", err)
	}
	answer(w, code, Failure{err.Error()})
}

func answer(w http.ResponseWriter, code int, out any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(out) // the caller may have gone
}
