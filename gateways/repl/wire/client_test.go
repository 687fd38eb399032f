//go:build linux

package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestClient_ManyGoroutinesShareOne(t *testing.T) {
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo))
	c := h.dial(h.opt.Socket)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for j := range 20 {
				want := sexpr.Int64(int64(i*100 + j))
				got, err := c.Eval(context.Background(), want)
				assert.NoError(t, err)
				assert.True(t, sexpr.Equal(want, got.Value))
			}
		})
	}
	for i := range 5 {
		wg.Go(func() {
			var accepted uint64
			got, err := c.Signal(context.Background(), client.Message{
				Text: "hi", Session: fmt.Sprint("s", i), Payload: sexpr.Plist("mood", sexpr.Str("good")),
				Accepted: func(n uint64) { accepted = n },
			})
			assert.NoError(t, err)
			assert.Equal(t, client.Reply{Signal: accepted, Text: "hi"}, got)
		})
	}
	wg.Wait()
	for _, s := range h.signals() {
		assert.Equal(t, "good", s.Payload.GetText("mood"))
	}
}

func TestClient_SessionIsTheOneOfItsRequests(t *testing.T) {
	var sessions []string
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo), func(s setup) {
		s.callers = func(c repl.Caller) { sessions = append(sessions, c.Peer.Session) }
	})
	c := h.dial(h.opt.Socket)
	c.Session = "work"
	_, err := c.Eval(t.Context(), sexpr.Int64(1))
	require.NoError(t, err)
	_, err = c.Signal(t.Context(), client.Message{Text: "hi"})
	require.NoError(t, err)
	mine := "repl/" + me(t) + "/work"
	assert.Equal(t, []string{mine}, sessions)
	assert.Equal(t, mine, h.signals()[0].Session)
}

func TestClient_WaitsNoLongerThanItsContext(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m))
	c := h.dial(h.opt.Socket)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-m.began; cancel() }()
	_, err := c.Signal(ctx, client.Message{Text: "hi"})
	assert.ErrorIs(t, err, context.Canceled)
	close(m.answer)
	got, err := c.Signal(t.Context(), client.Message{Text: "again"})
	require.NoError(t, err, "an unexpected answer does no harm")
	assert.Equal(t, "done", got.Text)
}

func TestClient_SaysWhyItHasNoDaemon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	_, err := client.Dial(t.Context(), path)
	assert.ErrorContains(t, err, "no daemon on "+path)

	// Somebody who is not Cortex.
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	for _, says := range []string{
		"220 mail.example.org ESMTP\r\n", frame(`(:type :event :payload (:action :message :text "hi"))`), frame("hello"), "",
		frame(`(:type :event :payload (:action :handshake :version "9" :protocol 9 :capabilities ()))`),
		frame(`(:type :log :payload (:code :limit :text "full"))`),
	} {
		go func() {
			nc, err := l.Accept()
			if err == nil {
				_, _ = nc.Write([]byte(says))
				_ = nc.Close()
			}
		}()
		_, err := client.Dial(t.Context(), path)
		assert.ErrorContains(t, err, path, says)
	}

	// Somebody who says nothing.
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		nc, err := l.Accept()
		if assert.NoError(t, err) {
			cancel()
			_, _ = nc.Read(make([]byte, 1))
			_ = nc.Close()
		}
	}()
	_, err = client.Dial(ctx, path)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestClient_CallsThatWaitHearOfTheEnd(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m))
	c := h.dial(h.opt.Socket)
	got := make(chan error)
	go func() {
		_, err := c.Signal(context.Background(), client.Message{Text: "hi"})
		got <- err
	}()
	<-m.began
	require.NoError(t, c.Close())
	assert.Error(t, <-got)
	_, err := c.Eval(t.Context(), sexpr.Nil())
	assert.Error(t, err)
	_, err = c.Health(t.Context())
	assert.Error(t, err)
	close(m.answer)
}

func TestClient_APrintedErrorKeepsItsPlace(t *testing.T) {
	h := open(t, "", evaluating(func(context.Context, sexpr.Value) (repl.Result, error) {
		return repl.Result{}, &repl.Error{Code: "syntax", Pos: sexpr.Pos{Line: 2, Col: 5}, Err: errors.New("odd")}
	}))
	_, err := h.dial(h.opt.Socket).Eval(t.Context(), sexpr.Nil())
	var e *repl.Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, "syntax", e.Code)
	assert.Equal(t, sexpr.Pos{Line: 2, Col: 5}, e.Pos)
	assert.EqualError(t, e.Err, "odd")
}
