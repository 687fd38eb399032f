package runs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// refining is a loop of at most three passes with a draft and a decision.
func refining(id string) string {
	return strings.ReplaceAll(`{"id":"L","type":"loop","title":"L","loop":{"type":"while","maxIterations":3,"conditionSource":`+
		`{"kind":"artifact_contract","contractRef":"wr.contracts.loop_control","loopId":"L"}},"body":[`+
		`{"id":"L-draft","title":"D","prompt":"Draft."},`+
		`{"id":"L-decide","title":"E","prompt":"Decide.","outputContract":{"contractRef":"wr.contracts.loop_control"}}]}`, "L", id)
}

// around is a workflow with one loop between two steps, so that its end is seen.
func around(loop, body string) string {
	return flow("acme.notes", `{"id":"first","title":"F","prompt":"p"},{"id":"lap","type":"loop","title":"L","loop":{`+loop+
		`},"body":[`+body+`]},{"id":"last","title":"L","prompt":"p"}`)
}

const (
	inBody = `{"id":"one","title":"O","prompt":"Do one."}`
	never  = `{"id":"one","title":"O","prompt":"p","runCondition":{"var":"never","equals":true}}`
)

func decision(what string) string {
	return `{"artifacts":[{"kind":"wr.loop_control","loopId":"some_other_loop","decision":"` + what + `"}]}`
}

// pending is the step instance that is due at the newest place of a run.
func (b *bench) pending(rep *tools.Reply) state.Key {
	b.t.Helper()
	log := b.log(rep)
	s, err := b.shelf.Snapshot(log.Tip())
	require.NoError(b.t, err)
	pos, ok := position(s)
	if !ok {
		return ""
	}
	return pos.Pending.Key()
}

// passes hands in notes, and these decisions one after the other, and returns the instances that
// were due until the run is complete.
func (b *bench) passes(rep *tools.Reply, decisions ...string) (taken []state.Key, last *tools.Reply) {
	b.t.Helper()
	for range 100 {
		if rep.IsComplete {
			return taken, rep
		}
		require.Equal(b.t, "ok", rep.Kind, rep.Text)
		at := b.pending(rep)
		taken = append(taken, at)
		if strings.HasSuffix(string(at), "-decide") {
			rep, decisions = b.hand(rep.ContinueToken, decision(decisions[0])), decisions[1:]
		} else {
			rep = b.notes(rep.ContinueToken, "did "+string(at))
		}
	}
	require.Fail(b.t, "the run does not end")
	return nil, nil
}

// said is what the record says of a loop, without the steps that were selected.
func traced(log *fold.State, loop string) (out []string) {
	for _, x := range log.LoopTrace(loop) {
		out = append(out, string(x.Kind)+": "+x.Summary)
	}
	return out
}

func TestT59_TheMaximumEndsALoopWithAWarning(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", refining("refine")))
	taken, rep := b.passes(b.start("acme.notes", ""), "continue", "continue", "continue")
	assert.Equal(t, []state.Key{"refine@0::refine-draft", "refine@0::refine-decide", "refine@1::refine-draft",
		"refine@1::refine-decide", "refine@2::refine-draft", "refine@2::refine-decide"}, taken)
	log := b.log(rep)
	require.Len(t, log.Gaps(), 1)
	assert.Equal(t, event.Warning, log.Gaps()[0].Severity)
	assert.Equal(t, event.Reason{Category: "contract_violation", Detail: "max_iterations"}, log.Gaps()[0].Reason)
	assert.Equal(t, fold.Complete, log.Status(true))
	all := traced(log, "refine")
	assert.Equal(t, "exited_loop: The loop refine ends after 3 iterations: max_iterations.", all[len(all)-1])
}

func TestT60_StopEndsALoop(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", refining("refine")))
	taken, rep := b.passes(b.start("acme.notes", ""), "stop")
	assert.Len(t, taken, 2)
	assert.Empty(t, b.log(rep).Gaps())
	assert.Equal(t, []string{"entered_loop: The loop refine begins.",
		"evaluated_condition: The loop refine wants iteration 1: false.",
		"exited_loop: The loop refine ends after 1 iterations: condition_false."}, traced(b.log(rep), "refine"))
}

func TestT61_AFalseConditionEntersNoIteration(t *testing.T) {
	for name, loop := range map[string]string{
		"while": `"type":"while","maxIterations":3,"condition":{"var":"go","equals":true}`,
		"until": `"type":"until","maxIterations":3,"condition":{"var":"go","equals":false}`,
		"for":   `"type":"for","maxIterations":3,"count":"rounds"`, "each": `"type":"forEach","maxIterations":3,"items":"names"`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Options{}, around(loop, inBody))
			rep := b.start("acme.notes", `,"context":{"go":false,"rounds":0,"names":[]}`)
			taken, rep := b.passes(rep)
			assert.Equal(t, []state.Key{"first", "last"}, taken)
			assert.Equal(t, []string{"evaluated_condition: The loop lap wants iteration 0: false.",
				"exited_loop: The loop lap ends after 0 iterations: condition_false."}, traced(b.log(rep), "lap"))
		})
	}
}

// Each kind of loop as often as it says, with its variables in the prompt of every pass.
func TestT61_EveryKindOfLoop(t *testing.T) {
	body := `{"id":"one","title":"O","prompt":"Pass {{currentIteration}}."}`
	for name, loop := range map[string]string{
		"for a number": `"type":"for","maxIterations":9,"count":2`, "for a key": `"type":"for","maxIterations":9,"count":"rounds"`,
		"each":  `"type":"forEach","maxIterations":9,"items":"names"`,
		"while": `"type":"while","maxIterations":9,"condition":{"var":"done","lt":2}`,
		"until": `"type":"until","maxIterations":9,"condition":{"var":"done","equals":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Options{}, around(loop, body))
			rep := b.start("acme.notes", `,"context":{"rounds":2,"names":["a","b"],"done":0}`)
			rep = b.notes(rep.ContinueToken, "n")
			for pass := range 2 {
				assert.Equal(t, state.Key(fmt.Sprintf("lap@%d::one", pass)), b.pending(rep))
				assert.Contains(t, rep.Pending.Prompt, fmt.Sprintf("Pass %d.", pass+1))
				rep = b.give(rep.ContinueToken, fmt.Sprintf(`{"done":%d}`, pass+1))
			}
			assert.Equal(t, state.Key("last"), b.pending(rep))
			all := traced(b.log(rep), "lap")
			assert.Equal(t, "exited_loop: The loop lap ends after 2 iterations: condition_false.", all[len(all)-1])
			assert.Equal(t, []string{"evaluated_condition: The loop lap wants iteration 0: true.",
				"entered_loop: The loop lap begins."}, all[:2])
		})
	}
}

func TestT62_AMissingDecisionIsNoExit(t *testing.T) {
	all := Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}
	b := newBench(t, all, flow("acme.notes", refining("refine")))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "drafted")
	blocked := b.notes(rep.ContinueToken, "decided to go on, in words")
	require.Len(t, blocked.Blockers, 1)
	assert.Equal(t, "MISSING_REQUIRED_OUTPUT", blocked.Blockers[0].Code)
	for _, bad := range []string{`{"artifacts":[{"kind":"wr.loop_control","decision":"perhaps"}]}`,
		`{"artifacts":[{"kind":"wr.loop_control","decision":"stop"},{"kind":"wr.loop_control","decision":"continue"}]}`} {
		blocked = b.hand(blocked.RetryToken, bad)
		require.Len(t, blocked.Blockers, 1)
		assert.Equal(t, "INVALID_REQUIRED_OUTPUT", blocked.Blockers[0].Code)
	}
	assert.Equal(t, state.Key("refine@0::refine-decide"), b.pending(blocked))
	assert.Equal(t, "refine-draft", b.hand(blocked.RetryToken, decision("continue")).Pending.StepID)

	rep = b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	rep = b.notes(rep.ContinueToken, "drafted")
	rep = b.notes(rep.ContinueToken, "no decision")
	assert.True(t, rep.IsComplete, "the loop ends: its cost is bounded")
	log := b.log(rep)
	assert.Equal(t, fold.CompleteWithGaps, log.Status(true))
	for _, g := range log.Unresolved() {
		assert.Equal(t, event.Reason{Category: "contract_violation", Detail: "missing_required_output"}, g.Reason)
	}
}

func TestT63_ADecisionIsOfItsOwnLoop(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", refining("first")+","+refining("second")))
	taken, rep := b.passes(b.start("acme.notes", ""), "stop", "continue", "stop")
	assert.Equal(t, []state.Key{"first@0::first-draft", "first@0::first-decide", "second@0::second-draft",
		"second@0::second-decide", "second@1::second-draft", "second@1::second-decide"}, taken)
	assert.Empty(t, b.log(rep).Gaps())
}

// A way that goes back into a loop has the decisions that led to its place, and those alone.
func TestT63_GoingBackIntoALoop(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", refining("refine")+","+twoSteps))
	first := b.start("acme.notes", "")
	decide := b.notes(first.ContinueToken, "drafted")
	assert.Equal(t, "one", b.hand(decide.ContinueToken, decision("stop")).Pending.StepID)
	again := b.hand(b.read(decide.ContinueToken).ContinueToken, decision("continue"))
	assert.Equal(t, state.Key("refine@1::refine-draft"), b.pending(again))
	assert.Equal(t, "one", b.hand(b.read(decide.ContinueToken).ContinueToken, decision("stop")).Pending.StepID)
	next := b.notes(again.ContinueToken, "drafted again")
	assert.Equal(t, state.Key("refine@1::refine-decide"), b.pending(next))
	assert.Equal(t, "one", b.hand(next.ContinueToken, decision("stop")).Pending.StepID)
}

const greet = `{"id":"greet","title":"G","prompt":"Greet {{currentItem.name}}, {{currentIndex}}."}`

func TestT64_AnItemOfTheWrongKindIsRefusedAtStart(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", `{"id":"each","type":"loop","title":"L","loop":{"type":"forEach",`+
		`"maxIterations":9,"items":"names"},"body":[`+greet+`]}`))
	for context, want := range map[string][]string{
		`{"names":["x"]}`:         {"currentItem.name", `currentItem is a string, "x"`, "names"},
		`{"names":[{"nom":"x"}]}`: {"currentItem.name", `currentItem is an object, {"nom":"x"}`, "names"},
		`{"names":"x"}`:           {"names", "needs an array in the context key names, found a string", "names"},
		`{"names":{"a":1}}`:       {"names", "found an object", "names"},
		`{}`:                      {"names", "names, which is not set", "names"},
	} {
		_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.notes","goal":"g","context":`+context+`}`)
		require.NotNil(t, fault, context)
		assert.Equal(t, tools.PreconditionFailed, fault.Code, context)
		assert.Equal(t, want[0], fault.Details["key"], context)
		assert.Contains(t, fault.Message, want[1], context)
		assert.Contains(t, fault.Suggestion, want[2], context)
		assert.Equal(t, "retryable_immediate", fault.Retry.Kind)
	}
	heads, err := b.logs.List(t.Context())
	require.NoError(t, err)
	assert.Empty(t, heads, "no run was started")
	rep := b.start("acme.notes", `,"context":{"names":[{"name":"Ann"},{"name":"Bob"}]}`)
	assert.Contains(t, rep.Pending.Prompt, "Greet Ann, 0.")
}

func TestT64_AnItemOfTheWrongKindBlocksUntilTheContextIsSent(t *testing.T) {
	all := Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }, Attempts: 20}
	b := newBench(t, all, around(`"type":"forEach","maxIterations":9,"items":"names"`, greet))
	for _, autonomy := range []string{"guided", "full_auto_stop_on_user_deps", "full_auto_never_stop"} {
		rep := b.start("acme.notes", `,"preferences":{"autonomy":"`+autonomy+`"}`)
		rep = b.notes(rep.ContinueToken, "did first")
		for _, c := range [][3]string{{`{"names":"x"}`, "INVALID_CONTEXT_KEY", "names"}, {`{"names":["x"]}`, "MISSING_CONTEXT_KEY",
			"currentItem.name"}, {`{"names":null}`, "MISSING_CONTEXT_KEY", "names"}} {
			require.Len(t, rep.Blockers, 1, rep.Text)
			assert.True(t, rep.Retryable)
			rep = b.give(rep.RetryToken, c[0])
			require.Len(t, rep.Blockers, 1, rep.Text)
			assert.Equal(t, c[1], rep.Blockers[0].Code)
			assert.Equal(t, c[2], rep.Blockers[0].Pointer.Key)
			assert.Contains(t, rep.Blockers[0].SuggestedFix, "Send the context key names")
			assert.Equal(t, "first", rep.Pending.StepID)
		}
		good := b.give(rep.RetryToken, `{"names":[{"name":"Ann"},{"name":"Bob"}]}`)
		assert.Contains(t, good.Pending.Prompt, "Greet Ann, 0.", autonomy)
		assert.Contains(t, b.notes(good.ContinueToken, "n").Pending.Prompt, "Greet Bob, 1.")
	}
}

func TestT65_ASkippedBodyCountsItsIterations(t *testing.T) {
	b := newBench(t, Options{}, around(`"type":"for","maxIterations":9,"count":5`, never))
	taken, rep := b.passes(b.start("acme.notes", ""))
	assert.Equal(t, []state.Key{"first", "last"}, taken)
	all := traced(b.log(rep), "lap")
	assert.Equal(t, "exited_loop: The loop lap ends after 5 iterations: condition_false.", all[len(all)-1])
}

// T66: the snapshots of a run in a loop are those of the design.
func TestT66_SnapshotsInALoop(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", refining("refine")))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "drafted")
	rep = b.hand(rep.ContinueToken, decision("continue"))
	rep = b.notes(rep.ContinueToken, "drafted again")
	assert.Equal(t, state.Key("refine@1::refine-decide"), b.pending(rep))
	text, err := b.shelf.Content(b.log(rep).Tip().Snapshot)
	require.NoError(t, err)
	assert.JSONEq(t, `{"v":1,"kind":"execution_snapshot","enginePayload":{"v":1,"engineState":{"kind":"running",`+
		`"completed":{"kind":"set","values":["refine@0::refine-decide","refine@0::refine-draft","refine@1::refine-draft"]},`+
		`"loopStack":[{"loopId":"refine","iteration":1,"bodyIndex":1}],`+
		`"pending":{"kind":"some","step":{"stepId":"refine-decide","loopPath":[{"loopId":"refine","iteration":1}]}}}}}`, text)
}
