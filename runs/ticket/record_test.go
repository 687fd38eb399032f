package ticket_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/ticket"
)

const log = "sess_a"

func open(t *testing.T, dir string) *cortex.Engine {
	t.Helper()
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Live: true,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func enter(t *testing.T, e *cortex.Engine, key string) {
	t.Helper()
	_, err := e.Hosts().Logs().Append(t.Context(), logs.Write{Log: log, Family: "run"}, func(tx *logs.Tx) error {
		_, err := tx.Event(logs.Event{ID: "evt_" + key, Kind: "noted", Dedupe: key, Data: "{}"})
		return err
	})
	require.NoError(t, err)
}

// place is where the event of an index stands.
func place(l *logs.Logs, log string, index uint64) (logs.Place, error) {
	all, err := l.Read(context.Background(), log)
	if err != nil {
		return logs.Place{}, err
	}
	for _, a := range all.Appends {
		if a.First <= index && index <= a.Last {
			return a.Place, nil
		}
	}
	return logs.Place{}, logs.ErrNoEvent
}

// mint signs a ticket for the node of an event of the log; verify checks one, as far as a
// ticket by itself can be.
func mint(t *testing.T, e *cortex.Engine, node uint64) string {
	t.Helper()
	l := e.Hosts().Logs()
	first, err := place(l, log, 0)
	require.NoError(t, err)
	at, err := place(l, log, node)
	require.NoError(t, err)
	try, err := ticket.FirstTry(event.Derive[event.AttemptID]("1"))
	require.NoError(t, err)
	keys, err := l.TicketKeys()
	require.NoError(t, err)
	text, err := (&ticket.Ticket{Label: "a", Kind: ticket.Continue, First: first.Record, Node: node, Attempt: try}).
		Mint(ticket.Key(keys.Current), at.Hash)
	require.NoError(t, err)
	return text
}

func verify(e *cortex.Engine, text string) error {
	l := e.Hosts().Logs()
	at, err := ticket.Parse(text)
	if err != nil {
		return err
	}
	name, err := l.Named(at.First)
	if err != nil {
		return err
	}
	node, err := place(l, name, at.Node)
	if err != nil {
		return err
	}
	keys, err := l.TicketKeys()
	if err != nil {
		return err
	}
	return at.Verify(ticket.Keys{Current: ticket.Key(keys.Current), Previous: (*ticket.Key)(keys.Previous)}, node.Hash)
}

func refused(t *testing.T, err error) {
	t.Helper()
	var e *ticket.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, ticket.BadSignature, e.Code)
}

func TestT31_aTicketOutlivesOneRotation(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	enter(t, e, "one")
	text := mint(t, e, 0)
	require.NoError(t, verify(e, text))
	rotate := func() { require.NoError(t, e.Hosts().Logs().RotateTicketKeys(t.Context(), "ana", "cli")) }
	rotate()
	require.NoError(t, verify(e, text))
	require.NoError(t, e.Close())
	e = open(t, dir)
	require.NoError(t, verify(e, text), "also of an engine that is opened later")
	rotate()
	refused(t, verify(e, text))
}

// An older copy of the record is restored and goes another way: the tickets of what both had
// fit both, and a ticket of what came after fits only where it came to be, although log,
// record, node and keys are the same.
func TestATicketOfACopyThatWentAnotherWayFitsNowhere(t *testing.T) {
	before, here, copied := t.TempDir(), t.TempDir(), t.TempDir()
	e := open(t, before)
	enter(t, e, "one")
	shared := mint(t, e, 0)
	require.NoError(t, e.Close())
	require.NoError(t, os.CopyFS(here, os.DirFS(before)))
	require.NoError(t, os.CopyFS(copied, os.DirFS(before)))
	e, other := open(t, here), open(t, copied)
	enter(t, e, "two")
	enter(t, other, "another")
	ours, theirs := mint(t, e, 1), mint(t, other, 1)
	at, err := place(e.Hosts().Logs(), log, 1)
	require.NoError(t, err)
	same, err := place(other.Hosts().Logs(), log, 1)
	require.NoError(t, err)
	require.Equal(t, at.Record, same.Record, "of the same number")
	mine, err := e.Hosts().Logs().TicketKeys()
	require.NoError(t, err)
	copies, err := other.Hosts().Logs().TicketKeys()
	require.NoError(t, err)
	require.Equal(t, mine, copies)
	for _, at := range []*cortex.Engine{e, other} {
		require.NoError(t, verify(at, shared))
	}
	require.NoError(t, verify(e, ours))
	require.NoError(t, verify(other, theirs))
	refused(t, verify(e, theirs))
	refused(t, verify(other, ours))
	enter(t, e, "three")
	if err := verify(other, mint(t, e, 2)); !errors.Is(err, logs.ErrNoEvent) {
		t.Errorf("a node that the copy lacks: %v", err)
	}
}
