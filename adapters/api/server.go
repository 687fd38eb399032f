package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/fair"
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
	// Pool is the memory and the turns that callers share, with the clients of other servers. nil means one with the
	// defaults of [fair.Options].
	Pool *fair.Pool

	limits limits // zero: those of a daemon
}

// Server answers callers of one engine.
type Server struct {
	opt    Options
	talks  conversations
	http   http.Server
	doors  []*door
	bounds bounds
	offer  offer
	ctx    context.Context // ends at a stop, for those who wait
	stop   context.CancelFunc
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
	if opt.Pool == nil {
		opt.Pool = fair.New(fair.Options{})
	}
	if opt.limits == (limits{}) {
		opt.limits = usual
	}
	s := &Server{opt: opt, talks: newConversations(),
		bounds: bounds{limits: opt.limits, pool: opt.Pool, accounts: map[int]*account{}}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = http.Server{Handler: s.handler(), ReadHeaderTimeout: opt.limits.arrive, IdleTimeout: idling,
		MaxHeaderBytes: maxHeader, ConnContext: withConn,
		ErrorLog: slog.NewLogLogger(opt.Logger.Handler(), slog.LevelWarn)}
	if opt.Socket != "" {
		l, err := socket.Listen(opt.Socket)
		if err != nil {
			return nil, err
		}
		s.doors = append(s.doors, newDoor(l, &s.bounds, opt.Logger))
	}
	if opt.Addr != "" {
		l, err := loopback(opt.Addr, opt.Token)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.doors = append(s.doors, newDoor(l, &s.bounds, opt.Logger))
	}
	return s, nil
}

// idling is how long a connection may stay without a request.
const idling = 5 * time.Minute

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
		wg.Go(l.open)
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

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf is the connection that a request came by.
func connOf(r *http.Request) *conn { return r.Context().Value(connKey{}).(*conn) }

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
	c := connOf(r)
	if err := s.allowed(r, c.from); err != nil {
		s.fail(w, r, wrong(http.StatusForbidden, "%w", err))
		return
	}
	done, ok := s.bounds.begin(c)
	if !ok {
		s.fail(w, r, errCrowd)
		return
	}
	defer done()
	t, err := c.account.hears.Enter(r.Context(), fair.Listing, piece)
	if err != nil {
		return // the caller has gone
	}
	defer t.Leave(0)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.bounds.limits.leave))
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
