package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

var ana = Person{Principal: "ana", Via: "cli"}

const decided = `{"id":"one","title":"First","prompt":"Do one.","outputContract":{"contractRef":"wr.contracts.loop_control"}},` +
	`{"id":"two","title":"Second","prompt":"Do two."}`

func TestT48_T49_T50_AMissingArtifactBlocksAndItsRetryGoesOn(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", decided))
	token := b.start("acme.notes", "").ContinueToken
	rep := b.hand(token, `{"artifacts":[]}`)
	require.Len(t, rep.Blockers, 1)
	assert.Equal(t, "MISSING_REQUIRED_OUTPUT", rep.Blockers[0].Code)
	assert.Equal(t, "wr.contracts.loop_control", rep.Blockers[0].Pointer.ContractRef)
	assert.Contains(t, rep.Blockers[0].SuggestedFix, `"decision":"stop"`)
	assert.NotEmpty(t, rep.Validation.Issues)
	assert.Equal(t, fold.Blocked, b.log(rep).Status(false))
	other := b.hand(rep.RetryToken, `{"artifacts":[{"kind":"wr.review_verdict"}]}`)
	assert.Contains(t, other.Blockers[0].Message, "wr.review_verdict")
	assert.NotEqual(t, rep.Blockers[0].Message, other.Blockers[0].Message)
	good := b.hand(other.RetryToken, `{"artifacts":[{"kind":"wr.loop_control","decision":"stop"}]}`)
	assert.Equal(t, "two", good.Pending.StepID)
	assert.Equal(t, textOf(rep), textOf(b.hand(token, `{"artifacts":[{"kind":"wr.loop_control","decision":"stop"}]}`)))
}

func TestT51_NeverStopGoesOnWithAGap(t *testing.T) {
	b := newBench(t, Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}, flow("acme.notes", decided))
	rep := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	rep = b.hand(rep.ContinueToken, `{"notesMarkdown":"no artifact"}`)
	assert.Equal(t, "ok", rep.Kind)
	assert.Equal(t, "two", rep.Pending.StepID)
	rep = b.notes(rep.ContinueToken, "did two")
	assert.True(t, rep.IsComplete)
	log := b.log(rep)
	assert.Equal(t, fold.CompleteWithGaps, log.Status(true))
	gap := log.Unresolved()[0]
	assert.Equal(t, event.Reason{Category: "contract_violation", Detail: "missing_required_output"}, gap.Reason)
	require.NoError(t, b.Release(t.Context(), ana, log.Session, gap.ID, "handed in by mail"))
	assert.Equal(t, fold.Complete, b.log(rep).Status(true))
}

func TestAnAgentKeepsToItsCeiling(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.notes","goal":"g","preferences":{"autonomy":"full_auto_never_stop"}}`)
	assert.Equal(t, tools.ValidationError, fault.Code)
	rep := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_stop_on_user_deps"}`)
	session := b.log(rep).Session
	require.NoError(t, b.SetPreferences(t.Context(), ana, session, event.Preferences{Autonomy: event.NeverStop}))
	rep = b.notes(rep.ContinueToken, "did one")
	assert.Equal(t, "full_auto_never_stop", rep.Preferences.Autonomy, "a person raised it in the middle of the run")
}

func TestTheBreakerIsOnRecordUntilAPersonReleasesTheRun(t *testing.T) {
	b := newBench(t, Options{Attempts: 3}, flow("acme.notes", decided))
	rep := b.start("acme.notes", "")
	token := rep.ContinueToken
	for range 2 {
		rep = b.hand(token, `{}`)
		assert.True(t, rep.Retryable)
		token = rep.RetryToken
	}
	rep = b.hand(token, `{}`)
	assert.False(t, rep.Retryable)
	assert.Equal(t, "ATTEMPT_LIMIT", rep.Blockers[0].Code)
	assert.Equal(t, tools.OnlyRehydrate, rep.NextIntent)
	good := `{"artifacts":[{"kind":"wr.loop_control","decision":"stop"}]}`
	stopped := b.read(rep.ContinueToken)
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+stopped.ContinueToken+`","output":`+good+`}`)
	assert.Equal(t, tools.PreconditionFailed, fault.Code)
	b.reboot()
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "go on"))
	again := b.read(rep.ContinueToken)
	assert.Equal(t, "ok", again.Kind)
	assert.Equal(t, "two", b.hand(again.ContinueToken, good).Pending.StepID)
}

const confirmed = `{"id":"one","title":"First","prompt":"Do one."},` +
	`{"id":"two","title":"Second","prompt":"Do two.","requireConfirmation":{"kind":"human_approval"}}`

func TestT57_AStepThatAPersonConfirms(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", confirmed))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	blocked := b.notes(rep.ContinueToken, "did two without asking")
	assert.Equal(t, "USER_ONLY_DEPENDENCY", blocked.Blockers[0].Code)
	assert.Equal(t, tools.AwaitPerson, blocked.NextIntent)
	still := b.notes(blocked.RetryToken, "again")
	assert.Equal(t, "blocked", still.Kind)
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "fine"))
	assert.True(t, b.notes(still.RetryToken, "did two").IsComplete)
	assert.Equal(t, fold.Complete, b.log(rep).Status(true))
}

func TestWhatOnlyTheUserHas(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	need := `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.needs_user","reason":"needs_user_secret_or_token","message":"the key of the shop"}]}`
	rep := b.hand(token, need)
	assert.Equal(t, "USER_ONLY_DEPENDENCY", rep.Blockers[0].Code)
	forged := b.hand(rep.RetryToken, `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.needs_user","reason":"needs_user_secret_or_token","message":"m"},{"kind":"cortex.gap_resolved","gapId":"`+
		string(b.log(rep).Gaps()[0].ID)+`","summary":"I have it"}]}`)
	assert.Equal(t, "blocked", forged.Kind, "no agent meets it by saying so")
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "put where tools find it"))
	assert.Equal(t, "two", b.hand(forged.RetryToken, need).Pending.StepID)
}
