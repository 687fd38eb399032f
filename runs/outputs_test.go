package runs

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
)

func TestT40_EachBranchOfAForkHasItsOwnNotes(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	one := b.notes(first.ContinueToken, "of the first way")
	two := b.notes(b.read(first.ContinueToken).ContinueToken, "of the second way")
	for rep, want := range map[*tools.Reply][2]string{one: {"of the first way", "of the second way"},
		two: {"of the second way", "of the first way"}} {
		shown := b.read(rep.ContinueToken)
		assert.Contains(t, shown.Recovery, want[0])
		assert.NotContains(t, shown.Recovery, want[1])
	}
	for _, tip := range b.log(first).Tips() {
		assert.Len(t, b.log(first).Current(tip, event.Recap), 1)
	}
}

func TestT67_NotesAreCutToTheirBudget(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rune4 := strings.Repeat("\U0001F30D", 2000)
	for _, c := range []struct{ in, want string }{
		{strings.Repeat("x", 4096), strings.Repeat("x", 4096)},
		{strings.Repeat("x", 4097), strings.Repeat("x", 4083) + "\n\n[TRUNCATED]"},
		{strings.Repeat("x", 64<<10), strings.Repeat("x", 4083) + "\n\n[TRUNCATED]"},
		{rune4, rune4[:4*1020] + "\n\n[TRUNCATED]"},
	} {
		rep := b.notes(b.start("acme.notes", "").ContinueToken, c.in)
		log := b.log(rep)
		notes := log.Current(log.Tip(), event.Recap)[0].Payload.Notes
		assert.Equal(t, c.want, notes)
		assert.True(t, utf8.ValidString(notes))
		assert.LessOrEqual(t, len(notes), 4096)
	}
}

func TestT68_OutputsHaveOneOrderAndStableIDs(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	artifacts := []string{`{"kind":"x","n":1}`, `{"kind":"x","n":2}`, `{"kind":"x","n":3}`}
	var all [2][]*event.NodeOutputAppended
	for i, order := range [2][3]int{{0, 1, 2}, {2, 0, 1}} {
		first := b.start("acme.notes", fmt.Sprintf(`,"requestId":"r%d"`, i))
		out := fmt.Sprintf(`{"notesMarkdown":"n","artifacts":[%s,%s,%s,%s]}`, artifacts[order[0]], artifacts[order[1]],
			artifacts[order[2]], artifacts[order[0]])
		rep := b.hand(first.ContinueToken, out)
		assert.Equal(t, textOf(rep), textOf(b.hand(first.ContinueToken, out)))
		log := b.log(rep)
		all[i] = log.Tip().Outputs
		require.Len(t, all[i], 4, "the notes, and each artifact once")
		assert.Equal(t, event.Recap, all[i][0].Channel)
		attempt := all[i][0].Attempt
		assert.Equal(t, event.RecapID(attempt), all[i][0].ID)
		for n, o := range all[i][1:] {
			assert.Equal(t, event.ArtifactID(attempt, n), o.ID)
			assert.True(t, n == 0 || all[i][n].Payload.SHA256 < o.Payload.SHA256, "by digest")
		}
	}
	for n := range all[0] {
		assert.Equal(t, all[0][n].Payload, all[1][n].Payload, "however they were handed in")
	}
	kept, err := b.shelf.Content(all[0][1].Payload.SHA256)
	require.NoError(t, err)
	assert.Contains(t, artifacts, kept)
	assert.EqualValues(t, len(kept), all[0][1].Payload.Bytes)
}

// append enters events into the log of a run, as a fault of the program would.
func (b *bench) append(log *fold.State, events ...*event.Event) {
	b.t.Helper()
	_, err := b.shelf.Append(b.t.Context(), shelf.Operation{By: "agent", Events: events})
	require.NoError(b.t, err)
}

func TestT69_AnOutputSupersedesOneOfItsOwnKindAlone(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	rep := b.notes(first.ContinueToken, "A")
	next := func(log *fold.State, id, over event.OutputID, text string) *event.Event {
		to := log.Tip()
		return event.New(log.Session, event.Scope{Run: log.Run, Node: to.Parent.ID}, &event.NodeOutputAppended{ID: id,
			Supersedes: over, Channel: event.Recap, Attempt: to.Outputs[0].Attempt, To: to.ID,
			Payload: event.Payload{Kind: "notes", Notes: text}})
	}
	ids := []event.OutputID{event.RecapID(event.Mint[event.AttemptID]()), event.RecapID(event.Mint[event.AttemptID]())}
	log := b.log(rep)
	b.append(log, next(log, ids[0], log.Tip().Outputs[0].ID, "B"), next(log, ids[1], ids[0], "C"))
	got := b.read(rep.ContinueToken)
	assert.Contains(t, got.Recovery, "(newest first)\n\nC")
	assert.NotContains(t, got.Recovery, "A\n")
	assert.Len(t, b.log(rep).Tip().Outputs, 3, "what is superseded stays on record")

	// One that takes the place of an output of another branch is corruption: nothing goes on.
	way := b.notes(b.read(first.ContinueToken).ContinueToken, "another way")
	log = b.log(way)
	b.append(log, next(log, event.RecapID(event.Mint[event.AttemptID]()), ids[1], "D"))
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+way.ContinueToken+`","notes":"n"}`)
	require.NotNil(t, fault)
	assert.Equal(t, tools.SessionNotHealthy, fault.Code)
}

func TestT70_ThePreferredTipIsTheOneTouchedLast(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	old := b.notes(first.ContinueToken, "way one")
	young := b.notes(b.read(first.ContinueToken).ContinueToken, "way two")
	log := b.log(young)
	tips := log.Tips()
	require.Len(t, tips, 2)
	assert.Equal(t, tips[1].ID, log.Tip().ID)
	h, err := b.At(t.Context(), agent, log.Session)
	require.NoError(t, err)
	assert.Contains(t, h.Reply().Recovery, "way two")

	// A declared divergence at the older branch is work there.
	b.hand(old.ContinueToken, `{"artifacts":[{"kind":"cortex.divergence","reason":"efficiency_skip","summary":"s"}]}`)
	_, err = h.Read(t.Context())
	require.NoError(t, err)
	assert.Contains(t, h.Reply().Recovery, "way one")
	assert.NotContains(t, h.Reply().Recovery, "way two")
}

func TestT73_ATraceKeepsItsBudget(t *testing.T) {
	loop := `{"id":"lap","type":"loop","title":"L","loop":{"type":"for","count":40,"maxIterations":40},"body":[` +
		`{"id":"never","title":"N","prompt":"p","runCondition":{"var":"never","equals":true}}]}`
	b := newBench(t, Options{}, flow("acme.notes", `{"id":"one","title":"O","prompt":"p"},`+loop+
		`,{"id":"last","title":"L","prompt":"p"}`))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "n")
	assert.Equal(t, "last", rep.Pending.StepID)
	got, err := b.logs.Read(t.Context(), string(b.log(rep).Session))
	require.NoError(t, err)
	var traces []*event.DecisionTraceAppended
	for _, x := range got.Events {
		e, err := event.Decode([]byte(x.Line(string(b.log(rep).Session), event.Version)))
		require.NoError(t, err)
		if d, ok := e.Data.(*event.DecisionTraceAppended); ok {
			traces = append(traces, d)
		}
	}
	last := traces[len(traces)-1].Entries
	require.Len(t, last, event.MaxTraceEntries, "of 43 entries")
	total := 0
	for _, x := range last {
		assert.LessOrEqual(t, len(x.Summary), 512)
		total += len(x.Summary)
	}
	assert.LessOrEqual(t, total, 8192)
	assert.Equal(t, "The loop lap begins.", last[1].Summary, "the first ones, in order")
	assert.Equal(t, "The loop lap wants iteration 0: true.", last[0].Summary)
	assert.NotContains(t, textOf(last), canon.Marker)
}
