//go:build linux

package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/sexpr"
)

// aPage is (journal :from 1 :last N).
func aPage(n int64) sexpr.Value {
	return sexpr.ListOf(sexpr.Sym("journal"), sexpr.Key("from"), sexpr.Int64(1), sexpr.Key("last"), sexpr.Int64(n))
}

// A client that takes a long answer in parts gets all of it, in order, and while it
// takes its time over a part the daemon holds no more than a few of them.
func TestALongAnswerStreams(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "record")
	longRecord(t, dir)
	h := open(t, "", func(s setup) { s.Engine.Dir, s.Wire.Pool = dir, fair.New(fair.Options{}) })
	c := h.dial(h.opt.Socket)
	next, parts, most := int64(1), 0, 0
	err := c.Stream(t.Context(), aPage(1000), func(r repl.Result) error {
		parts++
		assert.True(t, r.Quiet)
		assert.Equal(t, r.Value.Len(), strings.Count(r.Out, "\n")-strings.Count(r.Out, "[more"))
		for _, x := range r.Value.Items() {
			assert.Equal(t, next, x.GetInt("seq"))
			next++
		}
		held, _ := h.opt.Pool.Held()
		most = max(most, held)
		return nil
	})
	require.NoError(t, err)
	assert.EqualValues(t, 1001, next)
	assert.Greater(t, parts, 5)
	assert.Less(t, most, 8*fair.Floor)
	// The same client still has its turn when one stream has ended early.
	enough := errors.New("enough")
	assert.ErrorIs(t, c.Stream(t.Context(), aPage(1000), func(repl.Result) error { return enough }), enough)
	r, err := c.Eval(t.Context(), aPage(1000))
	require.NoError(t, err)
	assert.EqualValues(t, 1000, r.Value.Len(), "without parts it comes at once")
}

// A page ends when its client interrupts it or has gone, like every other form.
func TestAPageEndsWithItsContext(t *testing.T) {
	h := open(t, "")
	s := h.repl.Session(repl.Caller{})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := s.Eval(ctx, aPage(1000))
	var of *repl.Error
	require.ErrorAs(t, err, &of)
	assert.Equal(t, "interrupted", of.Code)
}

// What is wrong with a daemon that is overloaded, hangs or has died is said in
// words for people.
func TestClient_SaysWhatIsWrongInWordsForPeople(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	ended := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			defer func() { _ = nc.Close() }()
			if i == 0 {
				continue // it says nothing
			}
			go func() {
				_, _ = io.WriteString(nc,
					frame(`(:type :event :payload (:action :handshake :version "1" :protocol 1 :socket :plain))`))
				buf := make([]byte, 1)
				_, err := nc.Read(buf)
				if i == 1 { // it dies with a request half read
					_ = nc.Close()
				}
				ended <- err
			}()
		}
	}()
	people := func(err error, says string) {
		t.Helper()
		require.Error(t, err)
		assert.Contains(t, err.Error(), says)
		for _, inside := range []string{"context deadline",
			"use of closed", "connection reset", "broken pipe", "i/o timeout", "EOF"} {
			assert.NotContains(t, err.Error(), inside)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client.Dial(ctx, path)
	people(err, "does not answer in time")
	assert.ErrorIs(t, err, context.DeadlineExceeded)

	c, err := client.Dial(t.Context(), path)
	require.NoError(t, err)
	_, err = c.Eval(t.Context(), sexpr.Int64(1))
	people(err, "the daemon")
	require.NoError(t, errors.Join(<-ended))
	_ = c.Close()

	if c, err = client.Dial(t.Context(), path); assert.NoError(t, err) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err = c.Health(ctx)
		people(err, "does not answer in time")
		// It reads no more: a request that does not fit into the pipe is given up too.
		long, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer stop()
		_, err = c.Eval(long, sexpr.Str(strings.Repeat("x", 8<<20)))
		people(err, "does not answer in time")
		require.NoError(t, <-ended)
		_ = c.Close()
		_, err = c.Health(t.Context())
		people(err, "closed")
	}
}
