package advance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

// check hands in an output for the first step of a workflow.
func check(t *testing.T, step string, out advance.Output) []state.Reason {
	plan := compile(t, flow(step))
	if out.Work.IsNil() {
		out.Work = sexpr.EmptyObject()
	}
	reasons := advance.Check(plan, &plan.Steps[0], out, nil)
	if len(reasons) > 0 {
		_, err := state.Report(reasons)
		require.NoError(t, err)
	}
	return reasons
}

const (
	plain      = `{"id":"one","title":"O","prompt":"p"}`
	optional   = `{"id":"one","title":"O","prompt":"p","notesOptional":true}`
	contracted = `{"id":"one","title":"O","prompt":"p","outputContract":{"contractRef":"wr.contracts.loop_control"}}`
)

func TestT44_NotesAreMandatory(t *testing.T) {
	for _, notes := range []string{"", " \n\t"} {
		reasons := check(t, plain, advance.Output{Notes: notes})
		require.Len(t, reasons, 1)
		assert.Equal(t, state.MissingNotes, reasons[0].Code)
		assert.Equal(t, "MISSING_REQUIRED_NOTES", reasons[0].Blocker().Code)
		assert.False(t, reasons[0].Code.Terminal())
	}
	assert.Empty(t, check(t, plain, advance.Output{Notes: strings.Repeat("x", 64<<10)}))
	assert.Empty(t, check(t, optional, advance.Output{}))
	assert.Empty(t, check(t, contracted, advance.Output{Artifacts: []sexpr.Value{control("stop")}}))
}

func TestT48_AMissingArtifactComesWithAnExample(t *testing.T) {
	reasons := check(t, contracted, advance.Output{Notes: "notes"})
	require.Len(t, reasons, 1)
	assert.Equal(t, state.MissingOutput, reasons[0].Code)
	assert.Equal(t, state.Pointer{Kind: state.AtContract, ContractRef: "wr.contracts.loop_control"}, reasons[0].Pointer)
	assert.Contains(t, reasons[0].Fix, `{"kind":"wr.loop_control","decision":"stop"}`)
	assert.Equal(t, advance.Block, advance.Decide(advance.Guided, reasons[0].Code, plans.ByPrompt))
}

func TestT50_AWrongKindIsNamed(t *testing.T) {
	other := []sexpr.Value{sexpr.Plist("kind", sexpr.Str("wr.review_verdict"))}
	reasons := check(t, contracted, advance.Output{Artifacts: other})
	require.Len(t, reasons, 1)
	assert.Contains(t, reasons[0].Message, `"wr.review_verdict"`)
	assert.Contains(t, reasons[0].Message, `"wr.loop_control"`)
	assert.NotEqual(t, reasons[0].Message, check(t, contracted, advance.Output{})[0].Message)

	for _, bad := range [][]sexpr.Value{{control("perhaps")}, {control("stop"), control("continue")}} {
		reasons = check(t, contracted, advance.Output{Artifacts: bad})
		require.Len(t, reasons, 1)
		assert.Equal(t, state.InvalidOutput, reasons[0].Code)
	}
}

func TestT49_ARetryAdvances(t *testing.T) {
	d := start(compile(t, flow(contracted)), advance.Guided, sexpr.EmptyObject())
	due := d.begin(t)
	require.False(t, d.attempt(t, due, deciding("")))
	require.True(t, d.attempt(t, due, deciding("stop")))
	assert.Equal(t, state.Complete{}, d.state)
}

func TestT51_NeverStopRecordsAGap(t *testing.T) {
	d := start(compile(t, flow(contracted)), advance.NeverStop, sexpr.EmptyObject())
	require.True(t, d.run(t, deciding("")))
	require.Len(t, d.gaps, 1)
	assert.Equal(t, state.Gap{Severity: "critical", Category: state.ContractViolation, Detail: "missing_required_output",
		Summary: d.gaps[0].Summary}, d.gaps[0])
}

func TestT52_NoPolicyWaivesACapability(t *testing.T) {
	plan := &plans.Plan{
		Capabilities: plans.Capabilities{Required: []string{"web_browsing"}, Preferred: []string{"delegation"},
			Disabled: []string{"mail"}},
	}
	step := &plans.Step{ID: "one", By: plans.ByPrompt, NotesOptional: true}
	for status, want := range map[advance.Capability]state.Code{"": state.CapabilityUnknown,
		advance.Unknown:     state.CapabilityUnknown,
		advance.Unavailable: state.CapabilityUnavailable} {
		reasons := advance.Check(plan, step, advance.Output{Work: sexpr.EmptyObject()},
			map[string]advance.Capability{"web_browsing": status, "delegation": advance.Unavailable})
		require.Len(t, reasons, 1)
		assert.Equal(t, want, reasons[0].Code)
		assert.Equal(t, advance.Block, advance.Decide(advance.StopOnUser, want, plans.ByPrompt))
		assert.Equal(t, advance.RecordGap, advance.Decide(advance.NeverStop, want, plans.ByPrompt))
	}
	has := map[string]advance.Capability{"web_browsing": advance.Available}
	assert.Empty(t, advance.Check(plan, step, advance.Output{Work: sexpr.EmptyObject()}, has))
	step.Probe = "web_browsing"
	assert.Empty(t, advance.Check(plan, step, advance.Output{Work: sexpr.EmptyObject()}, nil))
}

func TestT47_ContextHasABudget(t *testing.T) {
	empty := len(`{"text":""}`)
	fits := sexpr.Plist("text", sexpr.Str(strings.Repeat("x", 262144-empty)))
	assert.Empty(t, check(t, optional, advance.Output{Work: fits}))
	over := sexpr.Plist("text", sexpr.Str(strings.Repeat("x", 262145-empty)))
	reasons := check(t, optional, advance.Output{Work: over})
	require.Len(t, reasons, 1)
	assert.Equal(t, state.ContextBudget, reasons[0].Code)
	assert.Contains(t, reasons[0].Message, "measured 262145, max 262144, method: UTF-8 bytes")
}

func TestAssessmentsBlockUntilFollowed(t *testing.T) {
	text := `{"id":"x.y","name":"n","version":"1.0.0","assessments":[{"id":"risk","purpose":"How risky.",
		"dimensions":[{"id":"reach","purpose":"Who is hit.","levels":["High","low"]}]}],
		"steps":[{"id":"one","title":"O","prompt":"p","assessmentRefs":["risk"],"assessmentConsequences":[
		{"when":{"anyEqualsLevel":"High"},"effect":{"kind":"require_followup","guidance":"Ask the owner."}}]}]}`
	plan := compile(t, text)
	hand := func(dimensions string) []state.Reason {
		return advance.Check(plan, &plan.Steps[0], advance.Output{Notes: "n", Work: sexpr.EmptyObject(),
			Artifacts: []sexpr.Value{object(t, `{"kind":"wr.assessment","dimensions":`+dimensions+`}`)}}, nil)
	}
	assert.Empty(t, hand(`{"reach":"low"}`))
	assert.Empty(t, hand(`{"reach":{"level":"LOW","rationale":"few"}}`))
	for dimensions, want := range map[string]state.Code{`{"reach":"high"}`: state.FollowUp, `{"reach":"none"}`: state.InvalidOutput,
		`{}`: state.InvalidOutput, `{"reach":"low","x":"low"}`: state.InvalidOutput} {
		reasons := hand(dimensions)
		require.Len(t, reasons, 1, dimensions)
		assert.Equal(t, want, reasons[0].Code, dimensions)
	}
	assert.Equal(t, "Ask the owner.", hand(`{"reach":"high"}`)[0].Fix)
}

// The table of modes is that of the design, row by row.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		code     state.Code
		by       plans.By
		blocking advance.Outcome
		never    advance.Outcome
	}{
		{state.NeedsApproval, plans.ByPrompt, advance.Block, advance.RecordGap},
		{state.NeedsApproval, plans.ByTool, advance.Block, advance.LeaveOut},
		{state.NeedsChoice, plans.ByPerson, advance.Block, advance.LeaveOut},
		{state.GateDenied, plans.ByTool, advance.Block, advance.LeaveOut},
		{state.InvalidOutput, plans.ByPrompt, advance.Block, advance.RecordGap},
		{state.CapabilityUnknown, plans.ByPrompt, advance.Block, advance.RecordGap},
		{state.InDoubt, plans.ByTool, advance.Block, advance.Block},
		{state.InvariantViolation, plans.ByPrompt, advance.Fail, advance.Fail},
		{"made_up:reason", plans.ByPrompt, advance.Fail, advance.Fail},
	} {
		for _, mode := range []advance.Mode{"", advance.Guided, advance.StopOnUser, "unheard of"} {
			assert.Equal(t, c.blocking, advance.Decide(mode, c.code, c.by), "%s %s", mode, c.code)
		}
		assert.Equal(t, c.never, advance.Decide(advance.NeverStop, c.code, c.by), c.code)
	}
}
