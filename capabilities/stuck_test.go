package capabilities

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// stuck notes that engines have taken the run up so often that the next one is told, and lets that one
// look at it. between runs while no engine drives anything.
func (b *bench) stuck(between func()) *Run {
	b.t.Helper()
	r, err := b.begun(b.t.Context())
	require.NoError(b.t, err)
	opt := b.options
	opt.Live = false
	b.m.Options(opt)
	b.e = b.m.Start()
	between()
	head, err := b.e.Hosts().Logs().Head(r.Log)
	require.NoError(b.t, err)
	b.m.Wrap(func(st journal.Store) journal.Store {
		assert.NoError(b.t, st.Commit([]journal.Write{{Key: record.TableUnanswered.Key(head.Root),
			Value: record.Due{Wakes: 1, TakeUps: 3}.Bytes()}}))
		return st
	})
	b.m.Options(b.options)
	b.e = b.m.Start()
	b.m.Wrap(nil)
	b.rests()
	require.NoError(b.t, b.e.Operations().Maintain(b.t.Context()))
	if r = b.rests(); r.Ended() {
		return r
	}
	require.NoError(b.t, b.answer(b.t.Context()))
	return b.rests()
}

// vagueRun is a run whose step set-image happened, and nothing says so.
func vagueRun(t *testing.T) *bench {
	b := newBench(t, strings.Replace(allRules, `:tier :allow :effect :external)
(deftool restart`, `:tier :ask :effect :external)
(deftool restart`, 1), deploy)
	b.w.vague = map[string]bool{"set": true}
	b.approve(b.asks("deploy.appservice", `(:app "shop" :image "v2")`).Token)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	b.w.vague = nil
	return b
}

// A run that engines broke off again and again goes on if the step it stopped at has its receipt: it was not
// the step that broke them off.
func TestR40_AStuckRunEntersWhatHasHappened(t *testing.T) {
	b := vagueRun(t)
	r := b.stuck(func() {
		doubts, err := b.e.Operations().Doubts(t.Context())
		require.NoError(t, err)
		require.NoError(t, b.e.Operations().Settle(t.Context(), doubts[0].Intent, true, operator))
	})
	assert.Equal(t, statusOK, r.Status, r.Why)
	assert.Len(t, b.w.calls, 4)
	b.sound(0)
}

// What may have happened is found out before anything else, and then made up for if the run is over.
func TestR40_AStuckRunWaitsForWhatIsInDoubt(t *testing.T) {
	b := vagueRun(t)
	r := b.stuck(func() {})
	assert.Equal(t, statusOK, r.Status, r.Why)
	assert.Len(t, b.w.calls, 4)
	b.sound(0)
}

// A step at which engines break off is not begun again: what was done before is made up for.
func TestR40_AStuckRunMakesUpForWhatItDid(t *testing.T) {
	b := newBench(t, allRules, strings.Replace(deploy, `(restart :tool`, `(stop :tool "ask_person"
		:args (:kind "confirm" :question "Go on?") :undo "only reads") (restart :tool`, 1))
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	r := b.stuck(func() {})
	assert.Equal(t, statusPartial, r.Status)
	assert.Contains(t, r.Result(), "step stop: the engine broke off three times")
	assert.Equal(t, `set (:image "v1" :name "shop")`, b.w.calls[len(b.w.calls)-1])
	b.sound(0)
}

// A run that is stuck while it makes up for what it did ends all the same, and says that a person has to look.
func TestR22_ARunThatIsStuckWhileItMakesUpEnds(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	b.w.fails["restart"] = true
	b.approve(b.asks("deploy.appservice", `(:app "shop" :image "v2")`).Token)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	require.Equal(t, []string{"set"}, b.asked(), "what makes up for the step")
	r := b.stuck(func() {})
	assert.Equal(t, statusPartial, r.Status)
	assert.Contains(t, r.Result(), "step set-image could not be made up for")
	require.Len(t, b.heard(), 1)
}
