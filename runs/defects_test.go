package runs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// X1 to X14 are the defects of the reference, of which each test says what it did. Cortex followed its
// design, and is to do better.

// The reference hung outputs on the node that was left, so that two ways from one node could not be read
// any more: "Multiple current recap outputs".
func TestX01_TwoWaysFromANodeBothHaveTheirNotes(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	b.notes(first.ContinueToken, "way one")
	second := b.notes(b.read(first.ContinueToken).ContinueToken, "way two")
	log := b.log(first)
	for i, want := range []string{"way one", "way two"} {
		got := log.Current(log.Tips()[i], event.Recap)
		require.Len(t, got, 1)
		assert.Equal(t, want, got[0].Payload.Notes)
	}
	assert.True(t, b.notes(second.ContinueToken, "done").IsComplete)
}

// chain is a workflow of n steps.
func chain(n int) string {
	steps := make([]string, n)
	for i := range steps {
		steps[i] = fmt.Sprintf(`{"id":"s%d","title":"S","prompt":"Do %d."}`, i, i)
	}
	return flow("acme.notes", strings.Join(steps, ","))
}

// The reference wrote the notes oldest first, so that cutting them dropped the newest.
func TestX02_TheNewestNotesAreShown(t *testing.T) {
	b := newBench(t, Options{}, chain(12))
	rep := b.start("acme.notes", "")
	for i := range 10 {
		rep = b.notes(rep.ContinueToken, fmt.Sprintf("note %d begins %s ends %d", i, strings.Repeat("x", 4000), i))
	}
	shown := b.read(rep.ContinueToken).Recovery
	newest, next, gone := strings.Index(shown, "note 9 begins"), strings.Index(shown, "note 8 begins"), 0
	assert.True(t, newest >= 0 && next > newest, "the newest first")
	for i := range 10 {
		begins, ends := fmt.Sprintf("note %d begins", i), fmt.Sprintf("ends %d", i)
		assert.Equal(t, strings.Contains(shown, begins), strings.Contains(shown, ends), "whole, or not at all")
		if !strings.Contains(shown, begins) {
			gone++
		}
	}
	assert.Contains(t, shown, fmt.Sprintf("not shown: %d.", gone))
	assert.Positive(t, gone)
	assert.LessOrEqual(t, len(shown), 24576)
}

// The reference took a checkpoint for a tip for ever, and called the next ordinary advance a fork.
func TestX03_ACheckpointMakesNoFork(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", "")
	for range 2 {
		b.reply(tools.Checkpoint, `{"checkpointToken":"`+rep.ContinueToken+`","notes":"half way"}`)
		b.reply(tools.Checkpoint, `{"checkpointToken":"`+b.read(rep.ContinueToken).ContinueToken+`"}`)
		rep = b.notes(rep.ContinueToken, "did it")
		log := b.log(rep)
		require.Len(t, log.Tips(), 1)
		assert.Equal(t, event.StepNode, log.Tip().Kind)
		assert.Equal(t, event.IntentionalFork, log.Tip().Edge.Cause.Kind)
	}
	assert.True(t, rep.IsComplete)
}

// The reference sorted blockers by locale and checked them by code unit, so that some failed its own
// check; and it silently left out all beyond the tenth.
func TestX04_BlockersAreInByteOrderAndNotCut(t *testing.T) {
	gives := func(keys ...string) string {
		return flow("acme.notes", `{"id":"one","title":"O","prompt":"p","gives":["`+strings.Join(keys, `","`)+`"]}`)
	}
	b := newBench(t, Options{}, gives("ab", "a_b", "a-b", "aB", "a.b"))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "n")
	var keys []string
	for _, x := range rep.Blockers {
		keys = append(keys, x.Pointer.Key)
	}
	assert.Equal(t, []string{"a-b", "a.b", "aB", "a_b", "ab"}, keys)

	eleven := make([]string, 11)
	for i := range eleven {
		eleven[i] = fmt.Sprintf("key%d", i)
	}
	b = newBench(t, Options{}, gives(eleven...))
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+b.start("acme.notes", "").ContinueToken+`","notes":"n"}`)
	require.NotNil(t, fault)
	assert.Equal(t, tools.ValidationError, fault.Code)
	assert.Contains(t, fault.Message, "11 things are wrong with the output, and a report holds 10")
}

// The reference compared counters of each log, so that a long old run came before one touched now.
func TestX05_RecencyIsWhenARunWasTouched(t *testing.T) {
	b := newBench(t, Options{}, chain(30))
	old := b.start("acme.notes", "")
	rep := old
	for range 20 {
		rep = b.notes(rep.ContinueToken, "n")
	}
	young := b.start("acme.notes", "")
	newest := func() string {
		out, fault := b.call(agent, tools.Resume, `{}`)
		require.Nil(t, fault)
		require.NotEmpty(t, out.(*tools.Candidates).Candidates)
		return out.(*tools.Candidates).Candidates[0].RunID
	}
	assert.Equal(t, young.Run.RunID, newest())
	b.notes(rep.ContinueToken, "n")
	assert.Equal(t, old.Run.RunID, newest())
}

// The reference wrote a lone surrogate into its canonical form, where RFC 8785 asks for an error.
func TestX07_ALoneSurrogateIsRefused(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	before := b.e.Journal().Head()
	for _, more := range []string{`"context":{"a":"\ud800"}`, `"artifacts":[{"kind":"x","a":"\ud800"}]`, `"context":{"\udfff":1}`} {
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+token+`","notes":"n",`+more+`}`)
		require.NotNil(t, fault, more)
		assert.Equal(t, tools.ValidationError, fault.Code)
	}
	assert.Equal(t, before, b.e.Journal().Head())
}

// In the reference a block that the user can end, and one for a capability, had no retry.
func TestX09_WhatTheUserCanEndMayBeTriedAgain(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", confirmed),
		strings.Replace(capable("required"), "acme.notes", "acme.web", 1))
	rep := b.notes(b.notes(b.start("acme.notes", "").ContinueToken, "did one").ContinueToken, "did two")
	require.Equal(t, "blocked", rep.Kind)
	assert.True(t, rep.Retryable)
	require.NoError(t, b.Release(t.Context(), ana, b.log(rep).Session, "", "fine"))
	assert.True(t, b.notes(rep.RetryToken, "did two").IsComplete)

	rep = b.notes(b.hand(b.start("acme.web", "").ContinueToken, notThere).ContinueToken, "did one")
	require.Equal(t, "REQUIRED_CAPABILITY_UNAVAILABLE", rep.Blockers[0].Code)
	assert.True(t, rep.Retryable)
	assert.Equal(t, "two", b.hand(rep.RetryToken, used).Pending.StepID)
}

// The reference read the mode at the tip alone, so that never-stop, set at the root, was guided at its
// child; and a gap of any branch blocked the run.
func TestX10_StatusReadsInheritedModesAndItsOwnGaps(t *testing.T) {
	b := newBench(t, neverStop(), flow("acme.notes", decided))
	rep := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	rep = b.hand(rep.ContinueToken, `{}`)
	assert.Equal(t, "full_auto_never_stop", rep.Preferences.Autonomy)
	require.Len(t, b.log(rep).Unresolved(), 1)
	assert.Equal(t, fold.InProgress, b.log(rep).Status(false))

	first := b.start("acme.notes", "")
	need := b.hand(first.ContinueToken, `{"artifacts":[{"kind":"wr.loop_control","decision":"stop"},`+
		`{"kind":"cortex.needs_user","reason":"needs_user_artifact","message":"the file"}]}`)
	require.Equal(t, "USER_ONLY_DEPENDENCY", need.Blockers[0].Code)
	assert.Equal(t, fold.Blocked, b.log(first).Status(false))
	other := b.hand(b.read(first.ContinueToken).ContinueToken, decision("stop"))
	assert.Equal(t, "two", other.Pending.StepID)
	assert.Len(t, b.log(first).Unresolved(), 1, "the gap of the other way is still open")
	assert.Equal(t, fold.InProgress, b.log(first).Status(false))
}

// The breaker of the reference was an error of a tool, outside of the log, and a key of the context that
// an agent could set decided how many tries it had.
func TestX11_TheBreakerIsOnRecord(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", decided))
	for autonomy, tries := range map[string]int{"guided": 10, "full_auto_stop_on_user_deps": 3} {
		rep := b.start("acme.notes", `,"context":{"is_autonomous":true},"preferences":{"autonomy":"`+autonomy+`"}`)
		token := rep.ContinueToken
		for n := range tries {
			rep = b.reply(tools.Continue, `{"continueToken":"`+token+`","output":{},"context":{"is_autonomous":false}}`)
			assert.Equal(t, n < tries-1, rep.Retryable, "%s, try %d", autonomy, n+1)
			token = rep.RetryToken
		}
		b.reboot()
		log := b.log(rep)
		require.Len(t, log.Unresolved(), 1)
		assert.Equal(t, event.Reason{Category: "unexpected", Detail: "attempt_limit"}, log.Unresolved()[0].Reason)
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+b.read(rep.ContinueToken).ContinueToken+`","output":{}}`)
		require.NotNil(t, fault)
		assert.Equal(t, tools.PreconditionFailed, fault.Code)
	}
}

// In the reference a bad pattern, an unknown operator and every other failure of a condition were false:
// the step was skipped. "3" equalled 3, and "yes" true.
func TestX12_AConditionThatFailsSkipsNothing(t *testing.T) {
	step := func(condition string) string {
		return flow("acme.notes", `{"id":"one","title":"O","prompt":"p"},{"id":"two","title":"T","prompt":"p","runCondition":`+
			condition+`},{"id":"three","title":"T","prompt":"p"}`)
	}
	for _, bad := range []string{`{"var":"x","matches":"("}`, `{"var":"x","equal":1}`} {
		_, err := plans.Compile(plans.Source{Name: "w", Text: []byte(step(bad))}, plans.Options{})
		assert.Error(t, err, bad)
	}
	for condition, context := range map[string]string{`{"var":"x","gt":3}`: `{"x":"large"}`, `{"var":"x","equals":3}`: `{"x":"3"}`,
		`{"var":"x","equals":true}`: `{"x":"yes"}`, `{"var":"x.y","gt":3}`: `{"x":{"y":"4"}}`} {
		b := newBench(t, Options{}, step(condition))
		rep := b.give(b.start("acme.notes", "").ContinueToken, context)
		require.Equal(t, "blocked", rep.Kind, condition)
		assert.Equal(t, "INVALID_CONTEXT_KEY", rep.Blockers[0].Code)
		assert.True(t, strings.HasPrefix(rep.Blockers[0].Pointer.Key, "x"))
		good := b.give(rep.RetryToken, strings.NewReplacer(`"large"`, "4", `"3"`, "3", `"yes"`, "true", `"4"`, "4").Replace(context))
		assert.Equal(t, "two", good.Pending.StepID, condition)
	}
}

// Much of what the reference specified could not be reached: no way led to capability_observed or
// divergence_recorded, and no mode could be changed. Here calls alone make every kind of event.
func TestX13_EveryKindOfEventIsReached(t *testing.T) {
	opt := Options{Observe: func(context.Context, string) []*event.ObservationRecorded {
		return []*event.ObservationRecorded{{Name: "git_branch", Value: event.Observed{Type: "short_string", Value: "main"},
			Confidence: "high"}}
	}}
	b := newBench(t, opt, strings.Replace(flow("acme.notes", decided), `"steps"`, `"capabilities":{"web_browsing":"required"},"steps"`, 1))
	rep := b.start("acme.notes", `,"workspacePath":"/work"`)
	b.reply(tools.Checkpoint, `{"checkpointToken":"`+rep.ContinueToken+`","notes":"begun"}`)
	rep = b.hand(rep.ContinueToken, probed)
	blocked := b.hand(rep.ContinueToken, `{"artifacts":[{"kind":"cortex.needs_user","reason":"needs_user_choice","message":"m"}]}`)
	require.NoError(t, b.SetPreferences(t.Context(), ana, b.log(rep).Session,
		event.Preferences{Autonomy: event.NeverStop}))
	rep = b.hand(blocked.RetryToken, `{"notesMarkdown":"n","artifacts":[{"kind":"wr.loop_control","decision":"stop"},`+
		`{"kind":"cortex.divergence","reason":"efficiency_skip","summary":"left out the second look"}]}`)
	assert.Equal(t, "two", rep.Pending.StepID)
	assert.Equal(t, "full_auto_never_stop", rep.Preferences.Autonomy)
	seen := map[event.Kind]bool{}
	for _, k := range kinds(b.log(rep), b) {
		seen[event.Kind(k)] = true
	}
	for _, k := range event.Kinds() {
		assert.True(t, seen[k], "no call made %s", k)
	}
}

// The reference put absolute paths of the machine into what it hashed, so that one workflow had another
// hash on every machine.
func TestX14_APlanHasOneHashOnEveryMachine(t *testing.T) {
	text := strings.Replace(flow("acme.notes", twoSteps), `"steps"`, `"references":[{"id":"guide","title":"G","source":"docs/guide.md",`+
		`"purpose":"p","authoritative":true,"resolveFrom":"workspace"}],"steps"`, 1)
	var hashes []string
	for _, at := range []string{t.TempDir(), t.TempDir(), "/elsewhere"} {
		p, err := plans.Compile(plans.Source{Name: at + "/notes.json", Text: []byte(text)}, plans.Options{})
		require.NoError(t, err)
		assert.NotContains(t, string(p.Canonical()), at)
		hashes = append(hashes, p.Hash().String())
	}
	assert.Equal(t, hashes[0], hashes[1])
	assert.Equal(t, hashes[0], hashes[2])
}
