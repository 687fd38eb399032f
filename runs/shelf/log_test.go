package shelf

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
)

func machine(t testing.TB) *cortextest.Machine {
	m := cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}})
	t.Cleanup(m.Close)
	return m
}

// someRun is the log of a run with a root, and what it rests on.
func someRun() ([]*event.Event, []Content) {
	session, scope := event.Derive[event.SessionID]("1"), event.Scope{Run: event.Derive[event.RunID]("1")}
	root := event.Scope{Run: scope.Run, Node: event.Derive[event.NodeID]("root")}
	plan, snapshot := event.DigestOf([]byte(`{"plan":1}`)), event.DigestOf([]byte(`{"state":1}`))
	return []*event.Event{
		event.New(session, event.Scope{}, &event.SessionCreated{}),
		event.New(session, scope, &event.RunStarted{Workflow: "acme.notes", Hash: plan, SourceKind: "project"}),
		event.New(session, root, &event.NodeCreated{NodeKind: event.StepNode, Hash: plan, Snapshot: snapshot}),
	}, []Content{{"application/json", `{"plan":1}`}, {"application/json", `{"state":1}`}}
}

func TestALogOutlivesAPowerCut(t *testing.T) {
	m := machine(t)
	e := m.Start()
	list, keep := someRun()
	_, err := New(e.Hosts().Logs(), 64).Append(t.Context(), Operation{By: "agent", Events: list, Keep: keep})
	require.NoError(t, err)
	want, err := Load(t.Context(), e.Hosts().Logs(), list[0].Session)
	require.NoError(t, err)
	require.Equal(t, uint64(3), want.Next())
	m.CutPower()
	l := m.Start().Hosts().Logs()
	got, err := Load(t.Context(), l, list[0].Session)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, fold.InProgress, got.Status(false))

	again, err := New(l, 64).Append(t.Context(), Operation{By: "agent", Events: list, Keep: keep})
	require.NoError(t, err)
	assert.True(t, again.Known, "a repeat writes nothing")
}

func TestAnAppendNeedsWhatItRestsOn(t *testing.T) {
	l := machine(t).Start().Hosts().Logs()
	list, keep := someRun()
	_, err := New(l, 64).Append(t.Context(), Operation{By: "agent", Events: list, Keep: keep[:1]})
	require.ErrorIs(t, err, logs.ErrNoContent)
	_, err = Load(t.Context(), l, list[0].Session)
	require.ErrorIs(t, err, logs.ErrNoLog, "nothing was written")
}

func TestT41_aLogAtOddsWithItselfIsUnhealthy(t *testing.T) {
	l := machine(t).Start().Hosts().Logs()
	list, keep := someRun()
	other := *list[2]
	other.Data = &event.NodeCreated{NodeKind: event.StepNode, Hash: event.DigestOf([]byte(`{"state":1}`)),
		Snapshot: event.DigestOf([]byte(`{"state":1}`))}
	list[2] = &other
	_, err := New(l, 64).Append(t.Context(), Operation{By: "agent", Events: list, Keep: keep})
	require.NoError(t, err)
	s, err := Load(t.Context(), l, list[0].Session)
	require.ErrorIs(t, err, ErrUnhealthy)
	require.ErrorIs(t, err, fold.ErrCorrupt)
	assert.Nil(t, s)
}
