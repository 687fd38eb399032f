package runs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/tools"
)

// A run goes on by the plan that it began with, whatever becomes of the workflow's file; a person sees
// that they differ, and a new run has the new plan.
func TestT18_ARunKeepsToItsPlan(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", "")
	session := b.log(rep).Session
	v, err := b.Plan(t.Context(), session)
	require.NoError(t, err)
	assert.False(t, v.Drift)
	changed := strings.Replace(flow("acme.notes", twoSteps), "Do two.", "Do two otherwise.", 1)
	for _, now := range []string{changed, ""} { // edited, then taken away
		delete(b.library, "acme.notes")
		if now != "" {
			b.library.put(t, now)
		}
		b.reboot()
		v, err = b.Plan(t.Context(), session)
		require.NoError(t, err)
		assert.Contains(t, v.Pinned, "Do two.")
		assert.Equal(t, now != "", v.Drift)
		assert.Contains(t, b.notes(b.read(rep.ContinueToken).ContinueToken, "did one").Pending.Prompt, "Do two.")
	}
	b.library.put(t, changed)
	young := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	assert.Contains(t, young.Pending.Prompt, "Do two otherwise.")
	assert.NotEqual(t, b.log(rep).Started.Hash, b.log(young).Started.Hash)
	_, fault := b.call(agent, tools.Start, `{"workflowId":"acme.other","goal":"g"}`)
	assert.Equal(t, tools.NotFound, fault.Code)
}
