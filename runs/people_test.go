package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// An agent that waits reads its ticket again; once the person has acted it sees the step, not the block.
func TestT57_AWaitingAgentSeesThatAPersonReleasedTheStep(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", confirmed))
	due := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	assert.Equal(t, tools.AwaitPerson, b.read(due.ContinueToken).NextIntent)
	blocked := b.notes(due.ContinueToken, "too early")
	still := b.notes(blocked.RetryToken, "still too early")
	for _, token := range []string{blocked.RetryToken, still.RetryToken} {
		rep := b.read(token)
		assert.Equal(t, "blocked", rep.Kind)
		assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	}
	require.NoError(t, b.Release(t.Context(), ana, b.log(due).Session, "", "fine"))
	for _, token := range []string{due.ContinueToken, blocked.RetryToken, still.RetryToken} {
		rep := b.read(token)
		assert.Equal(t, "ok", rep.Kind)
		assert.Equal(t, tools.Perform, rep.NextIntent)
		assert.Contains(t, rep.Pending.Prompt, "Do two.")
		assert.NotEmpty(t, rep.ContinueToken)
	}
	assert.True(t, b.notes(b.read(still.RetryToken).ContinueToken, "did two").IsComplete)
}

// A release is for the step that waits, at that place: a second step is confirmed by itself.
func TestT57_AReleaseConfirmsOneStep(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", confirmed+
		`,{"id":"three","title":"Third","prompt":"Do three.","requireConfirmation":{"kind":"human_approval"}}`))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "fine"))
	rep = b.notes(rep.ContinueToken, "did two")
	assert.Equal(t, "three", rep.Pending.StepID)
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	assert.Equal(t, "blocked", b.notes(rep.ContinueToken, "did three").Kind)
}

func TestT55_APreferenceReachesWhatComesAfter(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", decided))
	first := b.start("acme.notes", "")
	before := b.hand(b.read(first.ContinueToken).ContinueToken, `{}`)
	session := b.log(first).Session
	assert.Equal(t, "blocked", before.Kind)
	// The blocked node is the tip; a change there reaches its retry, and not the root's other ways.
	require.NoError(t, b.SetPreferences(t.Context(), ana, session, event.Preferences{Autonomy: event.NeverStop}))
	after := b.hand(before.RetryToken, `{}`)
	assert.Equal(t, "two", after.Pending.StepID, "what was missing is a gap now")
	assert.Equal(t, "full_auto_never_stop", after.Preferences.Autonomy)
	log := b.log(first)
	assert.Equal(t, event.NeverStop, log.Tip().Preferences().Autonomy)
	assert.Equal(t, event.Guided, log.Root.Preferences().Autonomy)
	assert.Equal(t, "blocked", b.hand(first.ContinueToken, `{}`).Kind, "another way from the root stays guided")
	assert.Equal(t, textOf(before.Blockers), textOf(b.hand(b.read(first.ContinueToken).ContinueToken, `{}`).Blockers))
}

func TestT56_GoingFurtherThanIsRecommendedIsAWarningOnce(t *testing.T) {
	advised := `{"id":"acme.notes","name":"n","description":"d","version":"1.0.0",` +
		`"recommendedPreferences":{"recommendedAutonomy":"guided"},"steps":[` + twoSteps + `]}`
	b := newBench(t, Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}, advised)
	rep := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	require.Len(t, rep.Warnings, 1)
	assert.Contains(t, rep.Warnings[0], "recommends guided")
	rep = b.notes(rep.ContinueToken, "did one")
	rep = b.notes(rep.ContinueToken, "did two")
	assert.True(t, rep.IsComplete)
	gaps := b.log(rep).Gaps()
	require.Len(t, gaps, 1)
	assert.Equal(t, event.Warning, gaps[0].Severity)
	assert.Equal(t, event.Reason{Category: "unexpected", Detail: "preferences_exceed_recommendation"}, gaps[0].Reason)
	assert.Equal(t, fold.Complete, b.log(rep).Status(true), "a warning is not a gap that counts")

	// The recommendation holds where the caller says nothing, up to the caller's ceiling.
	assert.Equal(t, "guided", b.start("acme.notes", "").Preferences.Autonomy)
}

func TestT56_ARecommendationIsHeldToTheCeiling(t *testing.T) {
	advised := `{"id":"acme.notes","name":"n","description":"d","version":"1.0.0",` +
		`"recommendedPreferences":{"recommendedAutonomy":"full_auto_never_stop"},"steps":[` + twoSteps + `]}`
	b := newBench(t, Options{}, advised)
	assert.Equal(t, "guided", b.start("acme.notes", "").Preferences.Autonomy)
}

// A step of a tool that a person confirms is not taken before that, also where the gates allow it.
func TestT57_AToolWaitsForItsConfirmation(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", `{"id":"file","title":"File it","tool":"note","args":{"text":"it"},`+
		`"requireConfirmation":{"kind":"human_approval"}},{"id":"two","title":"Second","prompt":"Do two."}`))
	rep := d.start("acme.file", "")
	d.rest(rep)
	assert.Empty(t, d.done())
	card := d.card()
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	assert.Equal(t, tools.AwaitPerson, d.read(rep.ContinueToken).NextIntent)
	require.NoError(t, d.e.Approve(t.Context(), card.Token, boss))
	d.rest(rep)
	assert.Equal(t, []string{"note it"}, d.done())
	assert.Equal(t, "two", d.read(rep.ContinueToken).Pending.StepID)
}

func TestT57_NeverStopLeavesOutAToolThatWaitsForItsConfirmation(t *testing.T) {
	d := newDriven(t, neverStop(), flow("acme.file", `{"id":"file","title":"File it","tool":"note","args":{"text":"it"},`+
		`"requireConfirmation":{"kind":"human_approval"}},{"id":"next","title":"Next","tool":"note","args":{"text":"next"}},`+
		`{"id":"two","title":"Second","prompt":"Do two."}`))
	rep := d.start("acme.file", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	log := d.rest(rep)
	assert.Empty(t, d.done())
	assert.Equal(t, "two", d.read(rep.ContinueToken).Pending.StepID)
	require.NotEmpty(t, log.Unresolved())
	assert.Equal(t, reasonOf(state.NeedsApproval), log.Unresolved()[0].Reason)
}

// A loop that a person confirms is confirmed once, before its first step.
func TestT57_ALoopIsConfirmedOnce(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", `{"id":"first","title":"F","prompt":"p"},{"id":"lap","type":"loop","title":"L",`+
		`"requireConfirmation":true,"loop":{"type":"for","maxIterations":3,"count":2},"body":[{"id":"one","title":"O","prompt":"p"},`+
		`{"id":"two","title":"T","prompt":"p"}]}`))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did first")
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	early := b.notes(rep.ContinueToken, "too early")
	assert.Equal(t, "USER_ONLY_DEPENDENCY", early.Blockers[0].Code)
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "fine"))
	taken, _ := b.passes(b.read(early.RetryToken))
	assert.Equal(t, []state.Key{"lap@0::one", "lap@0::two", "lap@1::one", "lap@1::two"}, taken)
}

// A try that came too early does not lose the card: the person's yes counts for the step.
func TestT57_ACardOutlivesATryThatCameTooEarly(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.notes", confirmed))
	rep := d.notes(d.start("acme.notes", "").ContinueToken, "did one")
	d.rest(rep)
	card := d.card()
	early := d.notes(rep.ContinueToken, "too early")
	assert.Equal(t, "blocked", early.Kind)
	d.rest(rep)
	assert.Equal(t, card.Token, d.card().Token, "a person is asked once")
	require.NoError(t, d.e.Approve(t.Context(), card.Token, boss))
	d.rest(rep)
	assert.Equal(t, tools.Perform, d.read(early.RetryToken).NextIntent)
	assert.True(t, d.notes(early.RetryToken, "did two").IsComplete)
}
