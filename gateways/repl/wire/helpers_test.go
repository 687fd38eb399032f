//go:build linux

package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The test binary is also a client that the daemon has started, or that another
// user has, and a daemon.
func TestMain(m *testing.M) {
	if path := os.Getenv("WIRE_TEST_DIAL"); path != "" {
		nc, err := net.Dial("unix", path)
		if err == nil {
			_, _ = io.WriteString(nc, os.Getenv("WIRE_TEST_SAY"))
			_ = nc.(*net.UnixConn).CloseWrite()
			_, err = io.Copy(os.Stdout, nc)
		}
		if err != nil {
			fmt.Println(err)
		}
		return
	}
	if dir := os.Getenv("WIRE_TEST_SERVE"); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if socket := os.Getenv("WIRE_TEST_SIEGE"); socket != "" {
		siege(socket)
		return
	}
	goleak.VerifyTestMain(m)
}

const rules = `
(defaults :unknown-tool :ask)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask :effect :external)
(deftool never :doc "Never." :params (:what string) :tier :deny)
(defskill words
  :priority 100
  :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")))
`

// acts remembers what the tools of a house were asked to do.
type acts struct {
	mu   sync.Mutex
	done []string
}

func (a *acts) Act(_ context.Context, c act.Call) (act.Receipt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = append(a.done, c.Action.Canonical())
	return act.Receipt{State: act.Done, Result: sexpr.Plist("secret-path", sexpr.Str("/srv/inside/tool.go:12"))}, nil
}

func (a *acts) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.done...)
}

// evalFunc is an evaluator that is one function.
type evalFunc func(ctx context.Context, form sexpr.Value) (repl.Result, error)

func (f evalFunc) Eval(ctx context.Context, form sexpr.Value) (repl.Result, error) {
	return f(ctx, form)
}

// house is an engine with a server in front of it.
type house struct {
	t      testing.TB
	engine *cortex.Engine
	repl   *repl.Repl
	acts   *acts
	server *Server
	opt    Options
	log    *safeBuffer
	served chan error
	shut   func() // closes everything, once

	callers func(repl.Caller) // hears who evaluates; nil for none
	eval    evalFunc          // in place of the evaluator; nil for the real one
}

// safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// setup is what a test may change about a house before it opens.
type setup struct {
	*house
	Engine *cortex.Options
	Wire   *Options
}

// open returns a house whose model plays script.
func open(t testing.TB, script string, change ...func(setup)) *house {
	t.Helper()
	h := &house{t: t, acts: &acts{}, log: &safeBuffer{}, served: make(chan error, 1)}
	logger := slog.New(slog.NewTextHandler(h.log, nil))
	eo := cortex.Options{Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}}, Logger: logger}
	for _, name := range []string{"note", "risky", "never"} {
		eo.Tools = append(eo.Tools, act.Tool{Schema: &skills.Tool{Name: name}, Actuator: h.acts})
	}
	play, err := model.NewScripted("script", "script.lisp", script)
	require.NoError(t, err)
	eo.Models.Providers = []model.Provider{play}
	dir := t.TempDir()
	h.opt = Options{
		Socket: filepath.Join(dir, "cortex.sock"), Approvals: filepath.Join(dir, "cortex-approve.sock"), Version: "0.3.0",
		Logger: logger,
		pause:  func(context.Context, time.Duration) error { return nil },
	}
	for _, f := range change {
		f(setup{h, &eo, &h.opt})
	}
	if h.eval != nil && h.opt.Pool == nil { // evaluators of tests may wait for whatever they like
		many := 1 << 16
		h.opt.Pool = fair.New(fair.Options{Turns: [...]int{many, many, many, many}})
	}
	h.engine, err = cortex.Open(t.Context(), eo)
	require.NoError(t, err)
	h.repl = repl.New(repl.Options{Engine: h.engine, Version: "0.3.0"})
	h.opt.Engine, h.opt.Repl = h.engine, h.repl
	h.server, err = listen(h.opt, func(c repl.Caller) evaluator {
		if h.callers != nil {
			who := c
			who.Share = nil // it is not who somebody is
			h.callers(who)
		}
		if h.eval != nil {
			return h.eval
		}
		return h.repl.Session(c)
	})
	require.NoError(t, err)
	go func() { h.served <- h.server.Serve(context.Background()) }()
	h.shut = sync.OnceFunc(func() {
		assert.NoError(t, h.server.Close())
		assert.NoError(t, <-h.served)
		assert.NoError(t, h.engine.Close())
	})
	t.Cleanup(h.shut)
	return h
}

func me(t testing.TB) string {
	u, err := user.Current()
	require.NoError(t, err)
	return u.Username
}

// dial returns a client of this package.
func (h *house) dial(path string) *client.Conn {
	h.t.Helper()
	c, err := client.Dial(context.Background(), path)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = c.Close() })
	return c
}

// signals are those on record, without Cortex's own.
func (h *house) signals() (out []perceive.Signal) {
	h.t.Helper()
	require.NoError(h.t, h.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind != "signal" {
			return nil
		}
		s, err := perceive.DecodeSignal(r.Body)
		if s.Depth == 0 {
			out = append(out, s)
		}
		return err
	}))
	return out
}

// raw is a client that may send anything.
type raw struct {
	t  testing.TB
	nc *net.UnixConn
	in *bufio.Reader
}

// raw connects and reads the handshake.
func (h *house) raw(path string) *raw {
	h.t.Helper()
	nc, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = nc.Close() })
	r := &raw{h.t, nc, bufio.NewReader(nc)}
	v := r.read()
	p, _ := v.Get("payload")
	require.Equal(h.t, "handshake", protocol.Word(p, "action"), "%s", v)
	return r
}

// write sends bytes as they are.
func (r *raw) write(s string) {
	r.t.Helper()
	_, err := io.WriteString(r.nc, s)
	require.NoError(r.t, err)
}

// frame is the text of a frame.
func frame(text string) string { return fmt.Sprintf("%06X%s", len(text), text) }

// send sends texts as frames.
func (r *raw) send(texts ...string) {
	r.t.Helper()
	for _, s := range texts {
		r.write(frame(s))
	}
}

// read reads the next message.
func (r *raw) read() sexpr.Value {
	r.t.Helper()
	v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(r.in)
	require.NoError(r.t, err)
	return v
}

// ask sends one message and reads one.
func (r *raw) ask(text string) sexpr.Value {
	r.t.Helper()
	r.send(text)
	return r.read()
}

// closed sees that the daemon has nothing more to say.
func (r *raw) closed() {
	r.t.Helper()
	v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(r.in)
	assert.Error(r.t, err, "expected the end, and got %s", v)
}

// alive sees that the connection still works.
func (r *raw) alive() {
	r.t.Helper()
	v := r.ask(`(:id 4711 :type :health-check)`)
	assert.Equal(r.t, "health-response", protocol.Word(v, "type"), "%s", v)
	assert.EqualValues(r.t, 4711, v.GetInt("id"))
}

// problem is the code and the text of an error answer, or of a log message.
func problem(v sexpr.Value) (code, text string) {
	p, _ := v.Get("payload")
	return protocol.Word(p, "code"), p.GetText("text")
}

// thinker is a model that thinks until it is told to answer.
type thinker struct {
	began  chan struct{} // one for each question
	answer chan string   // one for each answer; closed: "done" for everybody
}

func newThinker() *thinker { return &thinker{make(chan struct{}, 4096), make(chan string)} }

func (*thinker) Name() string { return "thinker" }

func (m *thinker) Complete(ctx context.Context, _ model.Prompt) (model.Completion, error) {
	m.began <- struct{}{}
	select {
	case text, ok := <-m.answer:
		if !ok {
			text = "done"
		}
		return model.Completion{Text: text}, nil
	case <-ctx.Done():
		return model.Completion{}, ctx.Err()
	}
}

func thinking(m model.Provider) func(setup) {
	return func(s setup) { s.Engine.Models.Providers = []model.Provider{m} }
}

func evaluating(f evalFunc) func(setup) { return func(s setup) { s.eval = f } }

func payload(v sexpr.Value) sexpr.Value {
	p, _ := v.Get("payload")
	return p
}
