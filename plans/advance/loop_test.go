package advance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

// refining is a loop with a decision step.
func refining(id string, most int) string {
	return fmt.Sprintf(
		`{"id":"%[1]s","type":"loop","title":"L","loop":{"type":"while","maxIterations":%[2]d,"conditionSource":
		{"kind":"artifact_contract","contractRef":"wr.contracts.loop_control","loopId":"%[1]s"}},"body":[
		{"id":"%[1]s-draft","title":"D","prompt":"Draft."},
		{"id":"%[1]s-decide","title":"E","prompt":"Decide.","outputContract":{"contractRef":"wr.contracts.loop_control"}}]}`,
		id,
		most,
	)
}

// deciding hands in these decisions one after the other; "" hands in none.
func deciding(decisions ...string) agent {
	at := 0
	return func(_ state.Key, step *plans.Step) (string, []sexpr.Value, string) {
		if step.Output == nil {
			return "notes", nil, ""
		}
		at++
		if decisions[at-1] == "" {
			return "notes", nil, ""
		}
		return "", []sexpr.Value{control(decisions[at-1])}, ""
	}
}

func summaries(d *drive) (out []string) {
	for _, e := range d.trace {
		if e.Kind == advance.ExitedLoop {
			out = append(out, e.Summary)
		}
	}
	return out
}

func TestT59_TheMaximumEndsALoopWithAWarning(t *testing.T) {
	d := start(compile(t, flow(refining("refine", 3))), advance.Guided, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding("continue", "continue", "continue")))
	assert.Equal(t, []state.Key{"refine@0::refine-draft", "refine@0::refine-decide", "refine@1::refine-draft",
		"refine@1::refine-decide", "refine@2::refine-draft", "refine@2::refine-decide"}, d.taken)
	assert.Equal(t, []string{"The loop refine ends after 3 iterations: max_iterations."}, summaries(d))
	require.Len(t, d.gaps, 1)
	assert.Equal(t, "warning", d.gaps[0].Severity)
}

func TestT60_StopEndsALoop(t *testing.T) {
	d := start(compile(t, flow(refining("refine", 3))), advance.Guided, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding("stop")))
	assert.Len(t, d.taken, 2)
	assert.Empty(t, d.gaps)
	assert.Equal(t, []advance.EntryKind{advance.EnteredLoop, advance.EvaluatedCondition, advance.ExitedLoop}, d.kinds())
	assert.Equal(t, []string{"The loop refine ends after 1 iterations: condition_false."}, summaries(d))
}

func TestT61_AFalseConditionEntersNoIteration(t *testing.T) {
	plan := compile(t, flow(`{"id":"lap","type":"loop","title":"L","loop":{"type":"while","maxIterations":3,
		"condition":{"var":"go","equals":true}},"body":[{"id":"one","title":"O","prompt":"p"}]}`))
	d := start(plan, advance.Guided, object(t, `{"go":false}`))
	require.True(t, d.run(t, deciding()))
	assert.Empty(t, d.taken)
	assert.Equal(t, []advance.EntryKind{advance.EvaluatedCondition, advance.ExitedLoop}, d.kinds())
}

func TestT62_AMissingDecisionIsNoExit(t *testing.T) {
	plan := compile(t, flow(refining("refine", 3)))
	d := start(plan, advance.Guided, sexpr.EmptyObject())
	require.False(t, d.run(t, deciding("")))
	require.Len(t, d.reasons, 1)
	assert.Equal(t, state.MissingOutput, d.reasons[0].Code)

	d = start(plan, advance.NeverStop, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding("")))
	assert.Len(t, d.taken, 2)
	require.NotEmpty(t, d.gaps)
	assert.Equal(t, "critical", d.gaps[0].Severity)
	assert.Equal(t, "missing_required_output", d.gaps[0].Detail)
}

func TestT63_ADecisionIsOfItsOwnLoop(t *testing.T) {
	d := start(compile(t, flow(refining("first", 3)+","+refining("second", 3))), advance.Guided, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding("stop", "continue", "stop")))
	assert.Len(t, d.taken, 2+4)
}

func TestT64_AnItemOfTheWrongKindBlocks(t *testing.T) {
	plan := compile(
		t,
		flow(`{"id":"each","type":"loop","title":"L","loop":{"type":"forEach","items":"names","maxIterations":9},
		"body":[{"id":"one","title":"O","prompt":"Greet {{currentItem.name}}."}]}`),
	)
	d := start(plan, advance.Guided, object(t, `{"names":["x"]}`))
	_, reasons := prompt.Render(plan, d.begin(t))
	require.Len(t, reasons, 1)
	assert.Equal(t, "currentItem.name", reasons[0].Pointer.Key)
	assert.Contains(t, reasons[0].Message, `currentItem is a string, "x"`)

	for work, want := range map[string]state.Code{`{}`: state.MissingContext, `{"names":"x"}`: state.InvalidContext} {
		d = start(plan, advance.Guided, object(t, work))
		d.begin(t)
		require.Len(t, d.reasons, 1, work)
		assert.Equal(t, want, d.reasons[0].Code)
		assert.Equal(t, "names", d.reasons[0].Pointer.Key)
		assert.False(t, d.reasons[0].Code.Terminal())
	}
	d = start(plan, advance.Guided, object(t, `{"names":[{"name":"Ann"},{"name":"Bob"}]}`))
	text, reasons := prompt.Render(plan, d.begin(t))
	assert.Empty(t, reasons)
	assert.Contains(t, text.Prompt, "Greet Ann.")
	require.True(t, d.run(t, deciding()))
	assert.Len(t, d.taken, 2)
}

func TestT65_ASkippedBodyCountsItsIterations(t *testing.T) {
	plan := compile(t, flow(`{"id":"lap","type":"loop","title":"L","loop":{"type":"for","count":5,"maxIterations":9},
		"body":[{"id":"one","title":"O","prompt":"p","runCondition":{"var":"never","equals":true}}]}`))
	d := start(plan, advance.Guided, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding()))
	assert.Empty(t, d.taken)
	assert.Equal(t, []string{"The loop lap ends after 5 iterations: condition_false."}, summaries(d))
}

// Ten loops of a thousand iterations are done one step at a time; eleven whose bodies are all
// skipped are more turns than one search may take.
func TestManyIterations(t *testing.T) {
	var taken, skipped []string
	for i := range 11 {
		loop := fmt.Sprintf(
			`{"id":"lap-%02d","type":"loop","title":"L","loop":{"type":"for","count":1000,"maxIterations":1000},
			"body":[{"id":"one-%02d","title":"O","prompt":"p"SKIP}]}`,
			i,
			i,
		)
		taken = append(taken, strings.ReplaceAll(loop, "SKIP", ""))
		skipped = append(skipped, strings.ReplaceAll(loop, "SKIP", `,"runCondition":{"var":"never","equals":true}`))
	}
	d := start(compile(t, flow(strings.Join(taken[:10], ","))), advance.Guided, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding()))
	assert.Len(t, d.taken, 10_000)

	_, err := advance.Next(
		compile(t, flow(strings.Join(skipped, ","))),
		state.Init{},
		advance.Input{Work: sexpr.EmptyObject()},
	)
	assert.ErrorContains(t, err, "no step is due after 10000 turns")
}

// A condition that cannot be judged blocks in every mode. It never skips its step.
func TestAConditionThatCannotBeJudgedBlocks(t *testing.T) {
	plan := compile(t, flow(`{"id":"one","title":"O","prompt":"p","runCondition":{"var":"size","gt":3}}`))
	for _, mode := range []advance.Mode{advance.Guided, advance.StopOnUser, advance.NeverStop} {
		d := start(plan, mode, object(t, `{"size":"large"}`))
		d.begin(t)
		require.Len(t, d.reasons, 1)
		assert.Equal(t, state.InvalidContext, d.reasons[0].Code)
		assert.Equal(t, "size", d.reasons[0].Pointer.Key)
		assert.Equal(t, advance.Block, advance.Decide(mode, d.reasons[0].Code, plans.ByPrompt))
	}
}

func TestAStateThatDoesNotFitThePlan(t *testing.T) {
	plan := compile(t, flow(refining("refine", 3)))
	for name, p := range map[string]state.Position{
		"iteration": {Loops: []state.Frame{{LoopID: "refine", Iteration: 3}}},
		"body":      {Loops: []state.Frame{{LoopID: "refine", BodyIndex: 2}}},
		"loop":      {Loops: []state.Frame{{LoopID: "other"}}},
		"two loops": {Loops: []state.Frame{{LoopID: "refine"}, {LoopID: "other"}}},
		"step":      {Pending: &state.Step{ID: "other", Path: []state.Level{}}},
	} {
		_, err := advance.Next(plan, state.Running{Position: p}, advance.Input{Work: sexpr.EmptyObject()})
		assert.Error(t, err, name)
	}
}
