package runs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

func kinds(log *fold.State, b *bench) (out []string) {
	got, err := b.logs.Read(b.t.Context(), string(log.Session))
	require.NoError(b.t, err)
	for _, e := range got.Events {
		out = append(out, e.Kind)
	}
	return out
}

func TestT34_Start(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", `,"context":{"secretive":"not echoed"}`)
	assert.Equal(t, "one", rep.Pending.StepID)
	assert.Contains(t, rep.Pending.Prompt, "Do one.")
	assert.Contains(t, rep.Text, rep.ContinueToken)
	assert.Equal(t, tools.Perform, rep.NextIntent)
	assert.Equal(t, rep.ContinueToken, rep.NextCall.Params["continueToken"])
	assert.NotContains(t, textOf(rep), "not echoed")
	log := b.log(rep)
	assert.Equal(t, []string{"session_created", "run_started", "node_created", "preferences_changed", "context_set",
		"decision_trace_appended"}, kinds(log, b))
	p, err := b.place(log, log.Root)
	require.NoError(t, err)
	assert.Equal(t, "get it done", p.work.GetText("goal"))
	assert.Equal(t, "not echoed", p.work.GetText("secretive"))
}

func TestT35_TheSameRequestStartsOneRun(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	one := b.start("acme.notes", `,"requestId":"r1"`)
	two := b.start("acme.notes", `,"requestId":"r1"`)
	assert.Equal(t, one, two)
	three := b.start("acme.notes", "")
	assert.NotEqual(t, one.Run.RunID, three.Run.RunID)
	heads, err := b.logs.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, heads, 2)
	_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.notes","goal":"something else","requestId":"r1"}`)
	assert.Equal(t, tools.ValidationError, fault.Code)
}

func TestT37_ARepeatedAdvanceIsAnsweredFromTheRecord(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	rep := b.notes(first.ContinueToken, "did one")
	assert.Equal(t, "two", rep.Pending.StepID)
	before := b.e.Journal().Head()
	for range 100 {
		assert.Equal(t, textOf(rep), textOf(b.notes(first.ContinueToken, "something else entirely")))
	}
	assert.Equal(t, before, b.e.Journal().Head(), "nothing is written")
	b.reboot()
	assert.Equal(t, textOf(rep), textOf(b.notes(first.ContinueToken, "x")), "also after the power was cut")
	log := b.log(rep)
	assert.Equal(t, []string{"advance_recorded", "decision_trace_appended", "node_created", "edge_created",
		"node_output_appended"}, kinds(log, b)[6:])
	assert.Equal(t, event.IntentionalFork, log.Tip().Edge.Cause.Kind)
	notes := slices.Collect(log.Notes(log.Tip(), nil))
	assert.Equal(t, []string{"did one"}, notes)
}

func TestT42_TheLastStepCompletesTheRun(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	last := rep.ContinueToken
	rep = b.notes(last, "did two")
	assert.True(t, rep.IsComplete)
	assert.Nil(t, rep.Pending)
	assert.Nil(t, rep.NextCall)
	assert.Equal(t, tools.NothingMore, rep.NextIntent)
	assert.Equal(t, textOf(rep), textOf(b.notes(last, "again")))
	head, err := b.logs.Head(string(b.log(rep).Session))
	require.NoError(t, err)
	assert.True(t, head.Over)
}

func TestT36_RehydrateWritesNothing(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	before := b.e.Journal().Head()
	seen := map[string]bool{first.ContinueToken: true}
	for range 10 {
		rep := b.read(first.ContinueToken)
		assert.Equal(t, "one", rep.Pending.StepID)
		seen[rep.ContinueToken] = true
	}
	assert.Len(t, seen, 11, "each is an attempt of its own")
	assert.Equal(t, before, b.e.Journal().Head())
}

func TestT38_T39_GoingBackForks(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	b.notes(first.ContinueToken, "way 0")
	for i := range 9 {
		rep := b.read(first.ContinueToken)
		assert.Contains(t, rep.Recovery, "YOU WENT BACK")
		rep = b.notes(rep.ContinueToken, "way "+string(rune('1'+i)))
		log := b.log(rep)
		assert.Equal(t, event.NonTipAdvance, log.Tip().Edge.Cause.Kind)
	}
	log := b.log(first)
	assert.Len(t, log.Tips(), 10)
	notes := slices.Collect(log.Notes(log.Tip(), nil))
	assert.Equal(t, []string{"way 9"}, notes, "a branch has its own notes alone")
}

func TestT43_T44_WhatDoesNotFit(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+token+`","intent":"rehydrate","output":{}}`)
	assert.Equal(t, tools.ValidationError, fault.Code)
	rep := b.notes(token, "  \n ")
	assert.Equal(t, "blocked", rep.Kind)
	assert.Equal(t, "MISSING_REQUIRED_NOTES", rep.Blockers[0].Code)
	assert.True(t, rep.Retryable)
	assert.NotEmpty(t, rep.RetryToken)
	assert.Empty(t, rep.ContinueToken, "one ticket a reply")
	log := b.log(rep)
	assert.Equal(t, fold.Blocked, log.Status(false))
	assert.Equal(t, event.BlockedNode, log.Tip().Kind)
	again := b.notes(rep.RetryToken, "now with notes")
	assert.Equal(t, "two", again.Pending.StepID)
	assert.Equal(t, textOf(rep), textOf(b.notes(token, "the first answer stands")))
	assert.Equal(t, event.BlockedNode, b.log(rep).Tip().Parent.Kind)
}

func TestT32_OtherPrincipalsAndUnknownPlaces(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	_, fault := b.call(Caller{Principal: "mallory"}, tools.Continue, `{"continueToken":"`+token+`","intent":"rehydrate"}`)
	assert.Equal(t, ticket.ScopeMismatch, fault.Code)
	other := newBench(t, Options{}, flow("acme.notes", twoSteps))
	_, fault = other.call(agent, tools.Continue, `{"continueToken":"`+token+`","intent":"rehydrate"}`)
	assert.Equal(t, ticket.UnknownNode, fault.Code, "a ticket of another record")
	other.start("acme.notes", "")
	other.start("acme.notes", "")
	_, fault = other.call(agent, tools.Continue, `{"continueToken":"`+token+`","intent":"rehydrate"}`)
	assert.Contains(t, []tools.Code{ticket.UnknownNode, ticket.BadSignature}, fault.Code)
}

func TestT71_ACheckpointStaysOutOfTheWay(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	mark := b.reply(tools.Checkpoint, `{"checkpointToken":"`+first.ContinueToken+`","notes":"half way"}`)
	assert.Equal(t, first.ContinueToken, mark.ContinueToken)
	before := b.e.Journal().Head()
	again := b.reply(tools.Checkpoint, `{"checkpointToken":"`+first.ContinueToken+`","notes":"half way"}`)
	assert.Equal(t, mark, again)
	assert.Equal(t, before, b.e.Journal().Head())
	rep := b.notes(mark.ContinueToken, "did one")
	log := b.log(rep)
	require.Len(t, log.Tips(), 1)
	assert.Equal(t, event.IntentionalFork, log.Tip().Edge.Cause.Kind)
}
