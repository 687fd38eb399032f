package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/internal/daemon"
)

// place is a folder for one daemon: its rules, script, workspace, record and
// sockets. Its path is short, since those of sockets are bounded.
type place struct {
	t   testing.TB
	dir string
}

func newPlace(t testing.TB) place {
	t.Helper()
	dir, err := os.MkdirTemp("", "cx")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	pl := place{t, dir}
	require.NoError(t, os.Mkdir(pl.path("work"), 0o700))
	pl.write("rules/r.lisp", `
(deftool shell :params (:cmd command) :required (:cmd) :tier :allow :effect :external)
(defskill guard :doc "shells" :trigger (= action.tool "shell")
  :gate ((ask writes-far :when (contains? action.args.cmd "far") :reason "writes far away")))
`)
	pl.write("script.lisp", `(:reply "pong" :when ("ping") :repeat t)`)
	pl.write("c.toml", `
dir = "state"
rules = ["rules"]
socket = "run/c.sock"
secret = "secret"
live = true
grace = "2s"
[shell]
workspace = "work"
[[providers]]
name = "script"
kind = "scripted"
file = "script.lisp"
`)
	return pl
}

func (pl place) path(name string) string { return filepath.Join(pl.dir, name) }

func (pl place) write(name, text string) {
	pl.t.Helper()
	require.NoError(pl.t, os.MkdirAll(filepath.Dir(pl.path(name)), 0o700))
	require.NoError(pl.t, os.WriteFile(pl.path(name), []byte(text), 0o600))
}

// alter replaces text in a file.
func (pl place) alter(name, old, text string) {
	pl.t.Helper()
	was, err := os.ReadFile(pl.path(name))
	require.NoError(pl.t, err)
	require.Contains(pl.t, string(was), old)
	pl.write(name, strings.Replace(string(was), old, text, 1))
}

// running is a daemon in a process of its own.
type running struct {
	t     testing.TB
	cmd   *exec.Cmd
	ready daemon.Ready
	log   *logged
	done  chan struct{} // closed when the process has ended
}

// command is this program as a process of its own.
func command(pl place, args ...string) *exec.Cmd {
	cmd := exec.Command(executable(pl.t))
	cmd.Args = append([]string{"cortex"}, args...)
	cmd.Dir = pl.dir
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+pl.path("config"), "XDG_RUNTIME_DIR="+pl.path("run"),
		"CORTEX_SOCKET=", "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=", "OLLAMA_HOST=")
	return cmd
}

// start runs the daemon until it is ready.
func (pl place) start(args ...string) *running {
	return pl.started(command(pl, append([]string{"serve", "--config", "c.toml", "--json"}, args...)...))
}

// started waits for a daemon to be ready.
func (pl place) started(cmd *exec.Cmd) *running {
	pl.t.Helper()
	r := &running{t: pl.t, cmd: cmd, log: &logged{}, done: make(chan struct{})}
	out, err := r.cmd.StdoutPipe()
	require.NoError(pl.t, err)
	r.cmd.Stderr = r.log
	require.NoError(pl.t, r.cmd.Start())
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		require.NoError(pl.t, errors.Join(err, r.cmd.Wait()), r.log.String())
	}
	require.NoError(pl.t, json.Unmarshal(line, &r.ready), string(line))
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // the exit code tells
	}()
	pl.t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // unless it has ended
		<-r.done
	})
	return r
}

// signal sends a signal to the daemon.
func (r *running) signal(s syscall.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Process.Signal(s))
}

// end waits for the process to end and returns its exit code, -1 for a signal.
func (r *running) end() int {
	r.t.Helper()
	select {
	case <-r.done:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		require.Fail(r.t, "the daemon does not end", r.log.String())
		return -1
	}
}

// dial connects to the daemon as a client.
func (r *running) dial() *client.Conn {
	r.t.Helper()
	c, err := client.Dial(r.t.Context(), r.ready.Socket)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// say sends words in a session and returns the result.
func say(t testing.TB, c *client.Conn, session, text string) client.Reply {
	t.Helper()
	out, err := c.Signal(t.Context(), client.Message{Text: text, Session: session})
	require.NoError(t, err)
	return out
}

// begin sends words and returns when they are durable. What comes of them arrives
// later, if it does.
func begin(t testing.TB, c *client.Conn, session, text string) <-chan error {
	t.Helper()
	durable, done := make(chan uint64, 1), make(chan error, 1)
	go func() {
		_, err := c.Signal(t.Context(),
			client.Message{Text: text, Session: session, Accepted: func(n uint64) { durable <- n }})
		done <- err
	}()
	select {
	case <-durable:
	case err := <-done:
		require.NoError(t, err, "it was not accepted")
	}
	return done
}

// logged collects what a process writes, and lets a test wait for a text.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
	wait []chan struct{}
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.wait {
		close(w)
	}
	l.wait = nil
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until waits until something that the process writes about is so.
func (l *logged) until(t testing.TB, what string, so func(text string) bool) {
	t.Helper()
	if !l.await(so) {
		require.Fail(t, "never: "+what, l.String())
	}
}

// await waits until something is so, looking again at every line; false if it
// takes too long.
func (l *logged) await(so func(text string) bool) bool {
	for late := time.After(30 * time.Second); ; {
		l.mu.Lock()
		text, w := l.text.String(), make(chan struct{})
		l.wait = append(l.wait, w)
		l.mu.Unlock()
		if so(text) {
			return true
		}
		select {
		case <-w:
		case <-late:
			return false
		}
	}
}

// says waits until the daemon has written a text to its log.
func (r *running) says(text string) {
	r.t.Helper()
	r.log.until(r.t, text, func(all string) bool { return strings.Contains(all, text) })
}

// records are those of a kind in a record that no process holds, whose chain is
// sound.
func (pl place) records(kind string) (list []journal.Record) {
	pl.t.Helper()
	st, err := store.Open(pl.path("state"), store.Options{})
	require.NoError(pl.t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(pl.t, err)
	require.NoError(pl.t, j.Verify(pl.t.Context()))
	require.NoError(pl.t, j.Records(1, func(r journal.Record) error {
		if r.Kind == kind {
			list = append(list, r)
		}
		return nil
	}))
	require.NoError(pl.t, j.Close())
	return list
}

// Kill -9 in the middle of a conversation, and start again: the session goes on,
// no effect is repeated, what waits for people still waits, and what was
// acknowledged is answered.
func TestServeGoesOnAfterKill(t *testing.T) {
	pl := newPlace(t)
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "echo once >> effects")) :explanation "do it") :when ("do it"))
(:reply "did it" :when ("exit"))
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "echo far >> effects")) :explanation "paint it") :when ("paint the fence"))
(:hang t :when ("think hard"))
`)
	d := pl.start()
	c := d.dial()
	assert.Contains(t, say(t, c, "s", "do it").Text, "did it")
	token := say(t, c, "s", "paint the fence").Approval
	require.NotEmpty(t, token)
	begin(t, c, "s", "think hard")
	begin(t, c, "s", "and then this") // waits for its turn
	d.signal(syscall.SIGKILL)
	assert.Equal(t, -1, d.end())

	pl.write("script.lisp", `
(:reply "thought" :when ("think hard") :expect ("do it" "paint the fence"))
(:reply "then that" :when ("and then this") :expect ("do it" "think hard"))
(:reply "still here" :when ("are you there") :expect ("think hard" "and then this"))
`)
	d = pl.start()
	assert.Equal(t, 1, d.ready.Pending, "what waits for people still waits")
	c = d.dial()
	assert.Equal(t, "still here", say(t, c, "s", "are you there").Text,
		"the session goes on, with what was said before: "+d.log.String())
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end(), d.log.String())
	effects, err := os.ReadFile(pl.path("work/effects"))
	require.NoError(t, err)
	assert.Equal(t, "once\n", string(effects), "no effect is repeated")
	var answers []string
	for _, r := range pl.records("answer") {
		answers = append(answers, r.Body.GetText("text"))
	}
	assert.Subset(t, answers, []string{"did it", "thought", "then that", "still here"},
		"what was acknowledged is answered")
}

// SIGTERM lets what is being answered finish; what does not finish in time is
// answered at the next start. Nothing that was acknowledged is lost.
func TestServeStopsGracefully(t *testing.T) {
	pl := newPlace(t)
	pl.alter("c.toml", `grace = "2s"`, `grace = "1s"`)
	fifo := pl.path("work/gate")
	makeFifo(t, fifo)
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "cat gate")) :explanation "wait") :when ("slow tool"))
(:reply "it opened" :when ("open sesame"))
(:hang t :when ("think for ever"))
`)
	d := pl.start()
	c := d.dial()
	done := make(chan client.Reply, 1)
	durable := make(chan uint64, 1)
	go func() {
		out, err := c.Signal(t.Context(),
			client.Message{Text: "slow tool", Session: "a", Accepted: func(n uint64) { durable <- n }})
		assert.NoError(t, err)
		done <- out
	}()
	<-durable
	begin(t, c, "b", "think for ever")
	gate, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the tool reads
	require.NoError(t, err)
	d.signal(syscall.SIGTERM)
	d.says("msg=stopping")
	_, err = io.WriteString(gate, "open sesame\n")
	require.NoError(t, errors.Join(err, gate.Close()))
	assert.Equal(t, "it opened", (<-done).Text, "what was begun is finished")
	assert.Zero(t, d.end(), d.log.String())
	_, err = net.Dial("unix", d.ready.Socket)
	require.Error(t, err, "the socket is closed")
	_, err = daemon.SocketOf(pl.path("state"))
	require.ErrorIs(t, err, os.ErrNotExist)

	pl.write("script.lisp", `(:reply "thought" :when ("think for ever"))(:reply "pong" :when ("ping"))`)
	d = pl.start()
	assert.Equal(t, "pong", say(t, d.dial(), "b", "ping").Text)
	d.signal(syscall.SIGINT)
	assert.Zero(t, d.end(), d.log.String())
	texts := ""
	for _, r := range pl.records("answer") {
		texts += r.Body.GetText("text") + "\n"
	}
	assert.Contains(t, texts, "thought\n", "what was not finished in time is answered at the next start")
}

// A second signal ends the daemon at once, and loses nothing either.
func TestServeEndsAtOnceOnASecondSignal(t *testing.T) {
	pl := newPlace(t)
	pl.alter("c.toml", `grace = "2s"`, `grace = "10m"`)
	pl.write("script.lisp", `(:hang t :when ("think for ever"))`)
	d := pl.start()
	begin(t, d.dial(), "a", "think for ever")
	d.signal(syscall.SIGTERM)
	d.says("msg=stopping")
	d.signal(syscall.SIGTERM)
	assert.Equal(t, exitError, d.end())
	assert.Len(t, pl.records("signal"), 1)
	d = pl.start() // what it left behind does not hinder the next
	d.signal(syscall.SIGKILL)
	d.end()
}

// One slow model and one slow tool do not hold up the others (weakness W28).
func TestW28_SessionsRunSideBySide(t *testing.T) {
	pl := newPlace(t)
	makeFifo(t, pl.path("work/gate"))
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "cat gate")) :explanation "wait") :when ("slow tool"))
(:hang t :when ("think for ever"))
(:reply "pong" :when ("ping") :repeat t)
`)
	d := pl.start()
	slow := d.dial()
	begin(t, slow, "a", "slow tool")
	gate, err := os.OpenFile(pl.path("work/gate"), os.O_WRONLY, 0) // the tool is waiting
	require.NoError(t, err)
	begin(t, slow, "b", "think for ever")
	for _, c := range []*client.Conn{slow, d.dial()} { // the same connection, and another
		assert.Equal(t, "pong", say(t, c, "c", "ping").Text)
		h, err := c.Health(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "healthy", h.Status)
		assert.Equal(t, 2, h.Running)
	}
	require.NoError(t, gate.Close())
	d.signal(syscall.SIGKILL)
	d.end()
}
