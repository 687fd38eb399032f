//go:build linux

package nrepl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/reason/model"
)

// The test binary is also a client that the daemon has started, and a daemon: a server does not serve processes that
// its
// own process has started, so a client that is a program needs one beside it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("NREPL_TEST_SERVE"); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path := os.Getenv("NREPL_TEST_DIAL"); path != "" {
		nc, err := net.Dial("unix", path)
		if err == nil {
			_, _ = io.WriteString(nc, msg("op", "eval", "code", "(+ 1 2)")) // it may be closed already
			_, err = io.Copy(os.Stdout, nc)
		}
		fmt.Println(err)
		return
	}
	goleak.VerifyTestMain(m)
}

// serve serves nREPL in dir until its input ends.
func serve(dir string) error {
	engine, err := cortex.Open(context.Background(),
		cortex.Options{Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}}})
	if err != nil {
		return err
	}
	server, err := Listen(Options{Repl: repl.New(repl.Options{Engine: engine, Version: "0.3.0"}),
		Socket: filepath.Join(dir, "nrepl.sock"), Version: "0.3.0"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return errors.Join(server.Serve(ctx), engine.Close())
}

// daemon starts a server in a process of its own and returns its socket.
func daemon(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NREPL_TEST_SERVE="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		assert.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return filepath.Join(dir, "nrepl.sock")
}

const rules = `
(defaults :unknown-tool :ask)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask :effect :external)
(defskill words
  :priority 100
  :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")))
`

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

// house is an engine with an nREPL server in front of it.
type house struct {
	t      testing.TB
	engine *cortex.Engine
	server *Server
	log    *safeBuffer
	path   string
}

// evaluating is a session whose evaluations are one function.
type evaluating func(ctx context.Context, src string, each func(repl.Result) error) error

func (f evaluating) EvalText(ctx context.Context, _, src string, each func(repl.Result) error) error {
	return f(ctx, src, each)
}
func (evaluating) Close()                         {}
func (evaluating) Complete(string) []string       { return nil }
func (evaluating) Lookup(string) (repl.Doc, bool) { return repl.Doc{}, false }

// open returns a house. With eval, that stands in the place of the evaluator.
func open(t testing.TB, eval evaluating, opt Options, models ...model.Provider) *house {
	t.Helper()
	h := &house{t: t, log: &safeBuffer{}, path: filepath.Join(t.TempDir(), "cortex-nrepl.sock")}
	var err error
	h.engine, err = cortex.Open(t.Context(),
		cortex.Options{Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}}, Models: cortex.Models{Providers: models}})
	require.NoError(t, err)
	opt.Repl, opt.Socket, opt.Version = repl.New(repl.Options{Engine: h.engine, Version: "0.3.0"}), h.path, "0.3.0"
	opt.Logger = slog.New(slog.NewTextHandler(h.log, nil))
	if eval == nil {
		h.server, err = Listen(opt)
	} else {
		h.server, err = listen(opt, func(repl.Caller) evaluator { return eval })
	}
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(context.Background()) }()
	t.Cleanup(func() {
		assert.NoError(t, h.server.Close())
		assert.NoError(t, <-served)
		assert.NoError(t, h.engine.Close())
	})
	return h
}

// client is a small client of our own. Its messages are written by hand, so that
// it shares nothing with the writer of the server.
type client struct {
	t  testing.TB
	nc *net.UnixConn
	in *bufio.Reader
}

func (h *house) dial() *client {
	h.t.Helper()
	nc, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: h.path, Net: "unix"})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = nc.Close() })
	return &client{h.t, nc, bufio.NewReader(nc)}
}

// write sends bytes as they are.
func (c *client) write(text string) {
	c.t.Helper()
	_, err := c.nc.Write([]byte(text))
	require.NoError(c.t, err)
}

// msg is a message of strings: keys and values in turn.
func msg(kv ...string) string {
	var b bytes.Buffer
	b.WriteByte('d')
	for _, s := range kv {
		b.WriteString(itoa(len(s)) + ":" + s)
	}
	return b.String() + "e"
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// read reads the next answer.
func (c *client) read() dict {
	c.t.Helper()
	d, err := readMessage(c.in, 64<<20)
	require.NoError(c.t, err)
	return d
}

// is reports whether an answer has a word in its status.
func (d dict) is(word string) bool {
	list, _ := d["status"].([]any)
	for _, x := range list {
		if x == word {
			return true
		}
	}
	return false
}

// ask sends one message and reads answers until one is done.
func (c *client) ask(kv ...string) []dict {
	c.t.Helper()
	c.write(msg(kv...))
	return c.answers()
}

func (c *client) answers() (all []dict) {
	c.t.Helper()
	for {
		d := c.read()
		if all = append(all, d); d.is("done") {
			return all
		}
	}
}

// one asks what has one answer.
func (c *client) one(kv ...string) dict {
	c.t.Helper()
	all := c.ask(kv...)
	require.Len(c.t, all, 1, "%v", all)
	return all[0]
}

// clone makes a session.
func (c *client) clone() string {
	c.t.Helper()
	id := c.one("op", "clone").text("new-session")
	require.NotEmpty(c.t, id)
	return id
}

// alive sees that the connection still works.
func (c *client) alive() {
	c.t.Helper()
	assert.Contains(c.t, c.one("op", "describe", "id", "alive")["ops"], "eval")
}

// closed sees that the server has nothing more to say.
func (c *client) closed() {
	c.t.Helper()
	d, err := readMessage(c.in, 64<<20)
	assert.Error(c.t, err, "%v", d)
}

// joined is what the answers have under one key, one after the other.
func joined(all []dict, key string) string {
	var b bytes.Buffer
	for _, d := range all {
		b.WriteString(d.text(key))
	}
	return b.String()
}

// me is the user whom the kernel names.
func (h *house) me() string {
	h.t.Helper()
	u, err := user.Current()
	require.NoError(h.t, err)
	return u.Username
}
