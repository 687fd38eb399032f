//go:build linux

package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// big is an answer of 100 000 bytes.
func big(context.Context, sexpr.Value) (repl.Result, error) {
	return repl.Result{Value: sexpr.Str(strings.Repeat("x", 100_000))}, nil
}

// flood sends requests until the daemon takes no more, or the connection ends.
// It reads nothing.
func flood(r *raw) (sent int, err error) {
	request := frame(`(:id 1 :type :request :target :repl :payload (:form 1))`)
	for {
		if _, err = io.WriteString(r.nc, request); err != nil {
			return sent, err
		}
		sent++
	}
}

func TestAClientThatNeverReadsIsCutOffAndHoldsUpNobody(t *testing.T) {
	h := open(t, "", evaluating(big), func(s setup) { s.Wire.WriteTimeout = 100 * time.Millisecond })
	ended := make(chan error)
	for range 4 {
		r := h.raw(h.opt.Socket)
		go func() {
			_, err := flood(r)
			ended <- err
		}()
	}
	c := h.dial(h.opt.Socket)
	for range 50 {
		_, err := c.Eval(t.Context(), sexpr.Int64(1))
		require.NoError(t, err, "others are served meanwhile")
	}
	for range 4 {
		assert.Error(t, <-ended)
	}
	require.NoError(t, h.server.Close())
	assert.Equal(t, 4, strings.Count(h.log.String(), "does not read its answers"), h.log.String())
}

func TestAFloodWaitsForItsOwnAnswers(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{}, 100_000)
	h := open(t, "", evaluating(func(ctx context.Context, form sexpr.Value) (repl.Result, error) {
		began <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return repl.Result{Value: form}, nil
	}), func(s setup) { s.Wire.Requests = 8 })
	r := h.raw(h.opt.Socket)
	const n = 4_000
	go func() {
		for i := range n {
			if _, err := io.WriteString(r.nc,
				frame(fmt.Sprintf(`(:id %d :type :request :target :repl :payload (:form 1))`, i))); err != nil {
				return
			}
		}
	}()
	for range 8 {
		<-began
	}
	// Somebody else, meanwhile, and then the flood: all of it, and never more than
	// eight at a time.
	h.raw(h.opt.Socket).alive()
	assert.Empty(t, began, "the ninth waits")
	close(release)
	seen := make([]bool, n)
	for range n {
		seen[r.read().GetInt("id")] = true
	}
	assert.NotContains(t, seen, false)
}

func TestAnswersThatNobodyReadsTakeBoundedMemory(t *testing.T) {
	crashtest.Long(t)
	h := open(t, "", evaluating(func(context.Context, sexpr.Value) (repl.Result, error) {
		return repl.Result{Value: sexpr.Str(strings.Repeat("x", 1<<20))}, nil
	}), func(s setup) { s.Wire.MaxAnswer = 1 << 20 })
	ended := make(chan error)
	for range 16 {
		r := h.raw(h.opt.Socket)
		go func() {
			_, err := flood(r)
			ended <- err
		}()
	}
	for range 16 {
		assert.Error(t, <-ended, "too many bytes unread")
	}
	h.raw(h.opt.Socket).alive()
	require.NoError(t, h.server.Close())
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	assert.Less(t, m.HeapAlloc, uint64(64<<20))
	assert.Contains(t, h.log.String(), "bytes wait")
}

func TestHalfFramesTimeOut(t *testing.T) {
	h := open(t, "", func(s setup) { s.Wire.FrameTimeout = 20 * time.Millisecond })
	for _, half := range []string{"0", "00002", "0000FF", "0000FF(:id 1", "0FFFFF("} {
		r := h.raw(h.opt.Socket)
		r.write(half)
		code, text := problem(r.read())
		assert.Equal(t, "frame", code)
		assert.Contains(t, text, "did not end within 20ms")
		r.closed()
	}
}

// Who is silent between frames may stay, also behind a new line.
func TestSilenceBetweenFramesIsNoHalfFrame(t *testing.T) {
	h := open(t, "", func(s setup) { s.Wire.FrameTimeout = time.Millisecond })
	r := h.raw(h.opt.Socket)
	for range 5 {
		r.write("\n")
		// Another client's whole visit is longer than the time limit.
		other := h.raw(h.opt.Socket)
		for range 50 {
			other.alive()
		}
		r.alive()
	}
}

func TestTheClientTooManyIsToldSo(t *testing.T) {
	h := open(t, "", func(s setup) { s.Wire.MaxClients = 3 })
	var all []*client.Conn
	for range 3 {
		all = append(all, h.dial(h.opt.Socket))
	}
	_, err := client.Dial(t.Context(), h.opt.Socket)
	var e *repl.Error
	require.True(t, errors.As(err, &e), "%v", err)
	assert.Equal(t, "limit", e.Code)
	assert.Contains(t, e.Error(), "3 clients are connected")
	h.raw(h.opt.Approvals).alive() // a crowd does not keep the operator out
	require.NoError(t, all[0].Close())
	for {
		c, err := client.Dial(t.Context(), h.opt.Socket)
		if err == nil { // as soon as the place is free
			require.NoError(t, c.Close())
			return
		}
		require.ErrorContains(t, err, "3 clients are connected")
	}
}

func TestLongRequestsWaitForRoom(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{}, 100)
	h := open(t, "", evaluating(func(ctx context.Context, form sexpr.Value) (repl.Result, error) {
		began <- struct{}{}
		<-release
		return repl.Result{}, nil
	}))
	r := h.raw(h.opt.Socket)
	long := `(:id 1 :type :request :target :repl :payload (:form (` +
		strings.Repeat(`"`+strings.Repeat("x", 200_000)+`" `, 5) + `)))`
	go func() {
		for range 10 {
			if _, err := io.WriteString(r.nc, frame(long)); err != nil {
				return
			}
		}
	}()
	for range 4 {
		<-began
	}
	h.raw(h.opt.Socket).alive()
	assert.Empty(t, began, "a fifth megabyte waits")
	close(release)
	for range 10 {
		r.read()
	}
}

// A client leaves while its model thinks: the answer is recorded all the same,
// and its place is free at once.
func TestWhatIsAcceptedIsAnsweredAlsoWhenTheClientLeaves(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m), func(s setup) { s.Wire.MaxClients = 1 })
	r := h.raw(h.opt.Socket)
	v := r.ask(`(:id 1 :type :event :key "k" :payload (:sensor :user-input :text "hi"))`)
	assert.Equal(t, "status", protocol.Word(v, "type"))
	<-m.began
	require.NoError(t, r.nc.Close())
	var c *client.Conn
	for c == nil {
		c, _ = client.Dial(t.Context(), h.opt.Socket)
	}
	m.answer <- "late"
	out, err := c.Signal(t.Context(), client.Message{Text: "hi", Key: "k"})
	require.NoError(t, err)
	assert.Equal(t, client.Reply{Signal: uint64(payload(v).GetInt("signal")), Text: "late", Repeat: true}, out)
	require.NoError(t, c.Close())
}

// A form ends with its client.
func TestFormsEndWithTheirClient(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error)
	h := open(t, "", evaluating(func(ctx context.Context, _ sexpr.Value) (repl.Result, error) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return repl.Result{}, ctx.Err()
	}))
	r := h.raw(h.opt.Socket)
	r.send(`(:id 1 :type :request :target :repl :payload (:form 1))`)
	<-began
	require.NoError(t, r.nc.Close())
	assert.ErrorIs(t, <-ended, errGone)
}

// Who has said all it has to say still hears the answers.
func TestAClientThatOnlyListensHearsItsAnswers(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m), evaluating(echo))
	r := h.raw(h.opt.Socket)
	r.send(hi)
	r.read()
	<-m.began
	r.send(`(:id 2 :type :request :target :repl :payload (:form 5))`)
	require.NoError(t, r.nc.CloseWrite())
	assert.EqualValues(t, 2, r.read().GetInt("id"))
	m.answer <- "there you are"
	assert.Equal(t, "there you are", payload(r.read()).GetText("text"))
	r.closed()
}

// A server that is closed while it begins to serve starts nothing afterwards.
func TestServeAndCloseAtOnce(t *testing.T) {
	h := open(t, "")
	for range 20 {
		opt := h.opt
		opt.Socket, opt.Approvals = filepath.Join(t.TempDir(), "s"), ""
		server, err := Listen(opt)
		require.NoError(t, err)
		served := make(chan error, 1)
		go func() { served <- server.Serve(t.Context()) }()
		assert.NoError(t, server.Close())
		assert.NoError(t, <-served)
	}
}

func TestCloseLetsAnswersOut(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m))
	r := h.raw(h.opt.Socket)
	r.send(hi)
	r.read()
	<-m.began
	closed := make(chan error)
	go func() { closed <- h.server.Close() }()
	for {
		if _, err := client.Dial(t.Context(), h.opt.Socket); err != nil {
			break // the server is full
		}
	}
	m.answer <- "last words"
	assert.Equal(t, "last words", payload(r.read()).GetText("text"))
	r.closed()
	require.NoError(t, <-closed)
}

// What is not answered in time is on record, and the next engine takes it up.
func TestCloseLeavesTheRestForTheNextStart(t *testing.T) {
	dir := t.TempDir()
	m := newThinker()
	here := func(s setup) { s.Engine.Dir, s.Wire.Grace = dir, time.Millisecond }
	h := open(t, "", thinking(m), here)
	r := h.raw(h.opt.Socket)
	v := r.ask(hi)
	<-m.began
	require.NoError(t, h.server.Close())
	code, text := problem(r.read())
	assert.Equal(t, "closing", code)
	assert.Contains(t, text, "takes up")
	r.closed()
	require.NoError(t, h.engine.Close())

	again := open(t, `(:reply "as promised")`, here)
	require.NoError(t, again.engine.Operations().Wait(t.Context()))
	var texts []string
	for rec, err := range again.engine.Journal().Subscribe(t.Context(), uint64(payload(v).GetInt("signal"))) {
		require.NoError(t, err)
		if rec.Kind == "answer" {
			texts = append(texts, rec.Body.GetText("text"))
			break
		}
	}
	assert.Equal(t, []string{"as promised"}, texts)
}

func TestSignalsBeyondTheServersRoomAreRefusedAndNotRecorded(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m))
	require.True(t, h.server.room.TryAcquire(signalRoom-signalCost-1000))
	c := h.dial(h.opt.Socket)
	got := make(chan error)
	go func() {
		_, err := c.Signal(context.Background(), client.Message{Text: "fits"})
		got <- err
	}()
	<-m.began
	_, err := c.Signal(t.Context(), client.Message{Text: "does not"})
	assert.ErrorContains(t, err, "too many signals")
	close(m.answer)
	require.NoError(t, <-got)
	require.Eventually(t, func() bool { // the room is given back a moment after the answer
		_, err := c.Signal(t.Context(), client.Message{Text: "now it does"})
		return err == nil
	}, 10*time.Second, time.Millisecond)
	assert.Len(t, h.signals(), 2)
}

// An interrupt stops the client's own forms, and no others.
func TestInterruptStopsForms(t *testing.T) {
	began := make(chan struct{}, 2)
	h := open(t, "", evaluating(func(ctx context.Context, _ sexpr.Value) (repl.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		return repl.Result{}, ctx.Err()
	}))
	c, other := h.dial(h.opt.Socket), h.dial(h.opt.Socket)
	got, left := make(chan error), make(chan error)
	go func() { _, err := c.Eval(context.Background(), sexpr.Nil()); got <- err }()
	go func() { _, err := other.Eval(context.Background(), sexpr.Nil()); left <- err }()
	<-began
	<-began
	n, err := c.Interrupt(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	var e *repl.Error
	require.True(t, errors.As(<-got, &e))
	assert.Equal(t, "interrupted", e.Code)
	assert.Empty(t, left)
	require.NoError(t, other.Close())
	assert.Error(t, <-left)
}

func TestListenSaysEverythingThatIsWrong(t *testing.T) {
	_, err := Listen(Options{})
	assert.ErrorContains(t, err, "Repl is missing")
	_, err = listen(Options{MaxClients: -1, Grace: -1, MaxAnswer: 1 << 30}, nil)
	for _, s := range []string{"Engine is missing",
		"nothing to serve", "MaxClients is negative", "Grace is negative", "MaxAnswer is 1073741824"} {
		assert.ErrorContains(t, err, s)
	}
	h := open(t, "")
	_, err = Listen(Options{Engine: h.engine, Repl: h.repl, Socket: h.opt.Approvals + "2", Approvals: h.opt.Approvals})
	assert.ErrorContains(t, err, "another process serves")
	s, err := Listen(Options{Engine: h.engine, Repl: h.repl, Socket: h.opt.Approvals + "2"})
	require.NoError(t, err, "what was opened before the failure is closed")
	require.NoError(t, s.Close())
	assert.NoError(t, s.Serve(t.Context()), "a closed server does not serve")
}
