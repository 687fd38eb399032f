package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// world is a record on a disk in memory, and the runs on it.
type world struct {
	*runs.Runs
	t testing.TB
	j *journal.Journal
	l *logs.Logs
}

// stock has one workflow, found under an absolute path.
type stock struct{ flow *runs.Workflow }

func (s stock) Find(string) (*runs.Workflow, error)     { return s.flow, nil }
func (stock) List(*tools.ListWorkflows) tools.Workflows { return tools.Workflows{} }
func (stock) Inspect(*tools.InspectWorkflow) (tools.Inspected, error) {
	return tools.Inspected{}, nil
}

const flow = `{"id":"acme.notes","name":"n","description":"d","version":"1.0.0","steps":[
	{"id":"one","title":"First","prompt":"Do one."},{"id":"two","title":"Second","prompt":"Do two for {{place}}."},
	{"id":"three","title":"Third","prompt":"Do three."}]}`

func newWorld(t testing.TB) *world {
	t.Helper()
	st, err := store.Open("state", store.Options{Disk: storetest.NewSteadyDisk(), Segment: 64 << 10})
	require.NoError(t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	require.NoError(t, j.Update(context.Background(), logs.MakeTicketKeys))
	free := func(context.Context, string) (func(), error) { return func() {}, nil }
	l := logs.New(j, func() error { return nil }, j.Update, free)
	plan, err := plans.Compile(plans.Source{Name: "w", Text: []byte(flow)}, plans.Options{})
	require.NoError(t, err)
	look := func(context.Context, string) []*event.ObservationRecorded {
		return []*event.ObservationRecorded{
			{Name: "git_branch", Value: event.Observed{Type: "short_string", Value: "main"}, Confidence: "high"},
			{Name: "repo_root", Value: event.Observed{Type: "path", Value: "/home/ana/shop"}, Confidence: "high"}}
	}
	r, err := runs.New(runs.Options{Logs: l, Observe: look,
		Library: stock{&runs.Workflow{Plan: plan, Kind: plans.KindProject, Ref: "/home/ana/flows/notes.json"}}})
	require.NoError(t, err)
	return &world{r, t, j, l}
}

var (
	ann = runs.Caller{Principal: "ann", Person: true}
	bob = runs.Caller{Principal: "bob"}
)

// call makes a call, which succeeds.
func (w *world) call(by runs.Caller, c tools.Call) *tools.Reply {
	w.t.Helper()
	out, err := w.Call(context.Background(), by, c)
	require.NoError(w.t, err)
	return out.(*tools.Reply)
}

// hand hands in notes, and what more there is.
func (w *world) hand(token, notes string, work map[string]any, artifacts ...string) *tools.Reply {
	w.t.Helper()
	out := &tools.Output{NotesMarkdown: notes}
	for _, a := range artifacts {
		out.Artifacts = append(out.Artifacts, json.RawMessage(a))
	}
	return w.call(ann, &tools.ContinueWorkflow{ContinueToken: token, Intent: "advance", Context: work, Output: out})
}

// lively is a run with all that a bundle can have: notes, artifacts, contexts, a blocked attempt and
// its retry, a fork, a checkpoint; and an agent that quotes its tickets wherever it can.
func (w *world) lively(request string) event.SessionID {
	w.t.Helper()
	first := w.call(ann, &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "get it done",
		WorkspacePath: "/home/ana/shop", Context: map[string]any{"place": "the shop"}, RequestID: request})
	session := event.Derive[event.SessionID]("request", ann.Principal, request)
	token := first.ContinueToken
	again := w.call(ann, &tools.ContinueWorkflow{ContinueToken: token, Intent: "rehydrate"})
	w.hand(again.ContinueToken, "another way from the start", nil)
	blocked := w.call(ann, &tools.ContinueWorkflow{ContinueToken: token, Intent: "advance", Output: &tools.Output{}})
	require.Equal(w.t, "blocked", blocked.Kind)
	work := map[string]any{"place": "the shop of " + token, "n": 1.5}
	two := w.hand(blocked.RetryToken, "did one, my ticket was "+token, work,
		`{"kind":"note","ticket":"`+token+`"}`, `{"kind":"note","b":[1,2,{"c":"<&>"}]}`)
	w.call(ann, &tools.CheckpointWorkflow{CheckpointToken: two.ContinueToken})
	w.hand(two.ContinueToken, "did two", nil)
	return session
}

func (w *world) export(session event.SessionID) []byte {
	w.t.Helper()
	b, err := Export(context.Background(), w.l, session, Producer{App: "test", Config: event.DigestOf(nil)}, w.at())
	require.NoError(w.t, err)
	text, err := b.Text()
	require.NoError(w.t, err)
	return text
}

func (w *world) take(text []byte) Imported {
	w.t.Helper()
	in, err := Import(context.Background(), w.l, bob.Principal, text)
	require.NoError(w.t, err)
	return in
}

// folded is the fold of a log, without what no bundle has: the places of its records.
func (w *world) folded(session event.SessionID) *fold.State {
	w.t.Helper()
	log, err := w.l.Read(context.Background(), string(session))
	require.NoError(w.t, err)
	require.Equal(w.t, logs.Healthy, log.Health.Condition)
	s, entries := &fold.State{}, event.NewEntries(session)
	for _, x := range log.Events {
		e, err := entries.Read(x)
		require.NoError(w.t, err)
		require.NoError(w.t, s.Apply(e))
	}
	return s
}

// dump is all that the store holds.
func (w *world) dump() (out []string) {
	w.t.Helper()
	require.NoError(w.t, w.j.Scan(nil, nil, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%x %x", k, v))
		return true
	}))
	return out
}

func (w *world) at() time.Time { return time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC) }
