package runs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// capable is a workflow that uses a capability as is said.
func capable(how string) string {
	return strings.Replace(flow("acme.notes", twoSteps), `"steps"`, `"capabilities":{"web_browsing":"`+how+`"},"steps"`, 1)
}

const (
	probed    = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.probe","capability":"web_browsing","available":true}]}`
	elsewhere = `{"artifacts":[{"kind":"cortex.probe","capability":"delegation","available":true}]}`
	notThere  = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.probe","capability":"web_browsing","available":false}]}`
	used      = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.capability_use","capability":"web_browsing","result":"success"}]}`
	broke     = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.capability_use","capability":"web_browsing","result":"failure","failureCode":"tool_missing"}]}`
	broken    = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.capability_use","capability":"web_browsing","result":"failure"}]}`
	claimed   = `{"notesMarkdown":"n","artifacts":[{"kind":"cortex.capability_claim","capability":"web_browsing","claim":"available"}]}`
	justNotes = `{"notesMarkdown":"I can browse the web."}`
)

func TestT52_ARequiredCapabilityBlocksUnderEveryPolicy(t *testing.T) {
	b := newBench(t, Options{}, capable("required"))
	for _, autonomy := range []string{"guided", "full_auto_stop_on_user_deps"} {
		for _, risk := range []string{"conservative", "balanced", "aggressive"} {
			for probe, code := range map[string]string{elsewhere: "REQUIRED_CAPABILITY_UNKNOWN",
				notThere: "REQUIRED_CAPABILITY_UNAVAILABLE"} {
				rep := b.start("acme.notes", `,"preferences":{"autonomy":"`+autonomy+`","riskPolicy":"`+risk+`"}`)
				rep = b.hand(rep.ContinueToken, probe)
				require.Equal(t, "one", rep.Pending.StepID, "a probe may say no")
				rep = b.notes(rep.ContinueToken, "did one")
				require.Len(t, rep.Blockers, 1)
				assert.Equal(t, code, rep.Blockers[0].Code)
				assert.Equal(t, "web_browsing", rep.Blockers[0].Pointer.Capability)
				assert.True(t, rep.Retryable)
				assert.Equal(t, fold.Blocked, b.log(rep).Status(false))
				again := b.hand(rep.RetryToken, broken)
				assert.Equal(t, textOf(rep.Blockers), textOf(again.Blockers), "a failure without its code proves nothing")
				assert.Equal(t, "two", b.hand(again.RetryToken, used).Pending.StepID, "new evidence ends the block")
			}
		}
	}
}

// T53: the probe takes a probe alone, and what an agent says opens nothing.
func TestT53_AClaimOpensNothing(t *testing.T) {
	b := newBench(t, Options{Attempts: 20}, capable("required"))
	rep := b.start("acme.notes", "")
	token := rep.ContinueToken
	for _, handed := range []string{justNotes, claimed, used} {
		rep = b.hand(token, handed)
		require.Len(t, rep.Blockers, 1, handed)
		assert.Equal(t, "MISSING_REQUIRED_OUTPUT", rep.Blockers[0].Code)
		assert.Equal(t, "cortex.contracts.probe", rep.Blockers[0].Pointer.ContractRef)
		token = rep.RetryToken
	}
	token = b.hand(token, notThere).ContinueToken
	for _, handed := range []string{justNotes, claimed, probed, broken, broke} {
		rep = b.hand(token, handed)
		require.Len(t, rep.Blockers, 1, handed)
		assert.Equal(t, "REQUIRED_CAPABILITY_UNAVAILABLE", rep.Blockers[0].Code, handed)
		token = rep.RetryToken
	}
	assert.Equal(t, "two", b.hand(token, used).Pending.StepID)
	assert.Contains(t, kinds(b.log(rep), b), "capability_observed")
}

func TestT52_NeverStopGoesOnWithoutTheCapability(t *testing.T) {
	b := newBench(t, Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}, capable("required"))
	rep := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	for !rep.IsComplete {
		require.Equal(t, "ok", rep.Kind)
		rep = b.hand(rep.ContinueToken, notThere)
	}
	log := b.log(rep)
	assert.Equal(t, fold.CompleteWithGaps, log.Status(true))
	for _, g := range log.Unresolved() {
		assert.Equal(t, event.Reason{Category: "capability_missing", Detail: "required_capability_unavailable"}, g.Reason)
	}
	assert.NotEmpty(t, log.Unresolved())
}

func TestT52_PreferredAndDisabledCapabilitiesDoNotBlock(t *testing.T) {
	for _, how := range []string{"preferred", "disabled"} {
		b := newBench(t, Options{}, capable(how))
		rep := b.start("acme.notes", "")
		assert.Equal(t, "one", rep.Pending.StepID, "there is nothing that probes")
		rep = b.hand(rep.ContinueToken, broke)
		assert.True(t, b.notes(rep.ContinueToken, "did two").IsComplete)
		assert.Equal(t, fold.Complete, b.log(rep).Status(true))
		assert.Equal(t, event.Unavailable, b.log(rep).Tip().Capability("web_browsing", true), "it is on record")
	}
}

// What was learned at one step holds at the steps behind it, and on other ways it does not.
func TestT53_AProbeHoldsForWhatComesAfter(t *testing.T) {
	b := newBench(t, Options{}, capable("required"))
	first := b.start("acme.notes", "")
	rep := b.hand(first.ContinueToken, probed)
	require.Equal(t, "one", rep.Pending.StepID)
	rep = b.notes(rep.ContinueToken, "did one")
	assert.True(t, b.notes(rep.ContinueToken, "did two").IsComplete)

	other := b.hand(b.read(first.ContinueToken).ContinueToken, notThere)
	if other.Kind == "ok" {
		other = b.notes(other.ContinueToken, "did one")
	}
	require.Equal(t, "blocked", other.Kind)
	assert.Equal(t, "REQUIRED_CAPABILITY_UNAVAILABLE", other.Blockers[0].Code)
	assert.Equal(t, tools.Perform, other.NextIntent)
}
