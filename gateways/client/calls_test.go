//go:build linux

package client_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/gateways/repl/wire"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const rules = `
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask)
(deftool never :doc "Never." :params (:what string) :tier :deny)`

// both are the calls of an operator in this process and over a socket, on one engine.
func both(t *testing.T) (*cortex.Engine, map[string]client.Calls) {
	t.Helper()
	engine, err := cortex.Open(t.Context(), cortex.Options{
		Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}}, Live: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Close()) })
	secret, err := engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	who, err := engine.Approvals().Operator(secret, "repl")
	require.NoError(t, err)
	r := repl.New(repl.Options{Engine: engine})
	path := filepath.Join(t.TempDir(), "c.sock")
	server, err := wire.Listen(wire.Options{Engine: engine, Repl: r, Socket: path, Approvals: socket.Approvals(path)})
	require.NoError(t, err)
	over := make(chan error, 1)
	go func() { over <- server.Serve(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()); assert.NoError(t, <-over) })
	c, err := client.Dial(t.Context(), socket.Approvals(path))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.Auth(t.Context(), secret))
	return engine, map[string]client.Calls{
		"over the socket": c.Calls,
		"in process":      client.InProcess(r.Session(repl.Caller{Approver: &who})),
	}
}

// ask has a card made.
func ask(t *testing.T, e *cortex.Engine, what string) *cortex.Decision {
	t.Helper()
	a, err := cortex.NewAction("risky", sexpr.Plist("what", sexpr.Str(what)), "as asked")
	require.NoError(t, err)
	d, err := e.Decide(t.Context(), a, &cortex.Facts{
		Signal:  cortex.Signal{Type: perceive.Event, Sensor: perceive.UserInput, Session: "s", Principal: "ben"},
		Session: skills.Session{ID: "s", Principal: "ben"},
	})
	require.NoError(t, err)
	require.NotEmpty(t, d.Approval)
	return d
}

// A card is the same in every way to ask for it, and is the engine's own.
func TestCallsReadAndAnswerCards(t *testing.T) {
	engine, calls := both(t)
	for name, c := range calls {
		yes, no := ask(t, engine, name), ask(t, engine, "not "+name)
		list, err := c.Approvals(t.Context(), false)
		require.NoError(t, err, name)
		require.Len(t, list, 2, name)
		want, err := engine.Approvals().Get(t.Context(), yes.Approval)
		require.NoError(t, err)
		code, err := engine.Approvals().Code(want)
		require.NoError(t, err)
		got := list[0]
		assert.Equal(t, code, got.Code, name)
		assert.Equal(t, want.Action.Digest(), got.Action.Digest(), name)
		assert.Equal(t, "as asked", got.Action.Explanation(), name)
		assert.Equal(t, []any{want.Token, want.State, want.Policy, want.Session, want.Requester, want.Decision, want.Created,
			want.Expires}, []any{got.Token, got.State, got.Policy, got.Session, got.Requester, got.Decision, got.Created,
			got.Expires}, name)
		require.Len(t, got.Slots, 1, name)
		assert.Equal(t, want.Slots[0].Class, got.Slots[0].Class, name)

		got, err = c.Approve(t.Context(), yes.Approval)
		require.NoError(t, err, name)
		assert.NotEqual(t, cortex.Pending, got.State, name)
		got, err = c.Deny(t.Context(), no.Approval, "not today")
		require.NoError(t, err, name)
		assert.Equal(t, []any{cortex.Denied, "not today"}, []any{got.State, got.Why}, name)
		_, err = c.Approval(t.Context(), "T-none")
		var of *repl.Error
		require.ErrorAs(t, err, &of, name)
		assert.Equal(t, repl.CodeNotFound, of.Code, name)
		list, err = c.Approvals(t.Context(), false)
		require.NoError(t, err, name)
		assert.Empty(t, list, name)
	}
}

func TestCallsReadTheRecord(t *testing.T) {
	engine, calls := both(t)
	d := ask(t, engine, "x")
	for name, c := range calls {
		var last journal.Record
		require.NoError(t, c.Records(t.Context(), 1, func(r journal.Record) error { last = r; return nil }), name)
		want, err := engine.Journal().Read(last.Seq)
		require.NoError(t, err)
		assert.Equal(t, want.Hash, last.Hash, name)
		one, err := c.Read(t.Context(), last.Seq)
		require.NoError(t, err, name)
		assert.Equal(t, last.Hash, one.Hash, name)
		head, err := c.Verify(t.Context(), []journal.Head{engine.Journal().Head()})
		require.NoError(t, err, name)
		assert.Equal(t, last.Seq, head.Seq, name)
		again, err := c.Replay(t.Context(), 1)
		require.NoError(t, err, name)
		assert.Equal(t, client.Replayed{Decisions: 1, Differences: []client.Difference{}, Others: []string{},
			Gates: []string{}}, again, name)
		why, err := c.Explain(t.Context(), d.ID)
		require.NoError(t, err, name)
		assert.Equal(t, d.Key, why.Key, name)
		enough := assert.AnError
		assert.ErrorIs(t, c.Records(t.Context(), 1, func(journal.Record) error { return enough }), enough, name)
	}
}

// A record that is longer than what one client may hold of an answer is read all the same, also where it is the newest.
func TestCallsReadALongRecord(t *testing.T) {
	engine, calls := both(t)
	ask(t, engine, strings.Repeat("long ", 40_000))
	for name, c := range calls {
		var last uint64
		require.NoError(t, c.Records(t.Context(), 1, func(r journal.Record) error { last = r.Seq; return nil }), name)
		assert.Equal(t, engine.Journal().Head().Seq, last, name)
	}
}

func TestCallsOnTheEngine(t *testing.T) {
	engine, calls := both(t)
	for name, c := range calls {
		s, err := c.Status(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, client.Status{Checked: s.Checked, Compared: s.Compared, Session: s.Session}, s, name)
		require.NoError(t, c.KillSwitch(t.Context(), true), name)
		st, err := engine.Status(t.Context())
		require.NoError(t, err)
		assert.True(t, st.Killed, name)
		require.NoError(t, c.KillSwitch(t.Context(), false), name)
		names, err := c.Complete(t.Context(), "appro")
		require.NoError(t, err, name)
		assert.Subset(t, names, []string{"approve", "approval", "approvals"}, name)
		doubts, err := c.Doubts(t.Context())
		assert.NoError(t, err, name)
		assert.Empty(t, doubts, name)
		failed, err := c.Compensations(t.Context())
		assert.NoError(t, err, name)
		assert.Empty(t, failed, name)
		assert.Error(t, c.Settle(t.Context(), 999, true), name)
		_, err = c.Retry(t.Context(), 999)
		assert.Error(t, err, name)
		_, err = c.Checkpoint(t.Context())
		assert.ErrorContains(t, err, "no checkpoint was made yet", name)
	}
}
