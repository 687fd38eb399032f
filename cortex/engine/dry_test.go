package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason"
)

// An embedder who follows the careful defaults and pays with what Begin gives would be unguarded: a dry
// permit spends nothing, so a budget never ends.
func TestI1_WithoutAChoiceThereIsNoPermit(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "milk")))
(:reply "ok")`, func(o *Options) { o.Live = false })
	for range 3 {
		d := b.decideOn("send_money", `(:recipient "x" :amount 600)`)
		require.Equal(t, reason.Allow, d.Kind)
		before := b.Journal().Last()
		_, err := b.Begin(t.Context(), d)
		require.ErrorContains(t, err, "Options.Dry")
		require.ErrorContains(t, err, "Options.Live")
		assert.Equal(t, before, b.Journal().Last(), "nothing is written")
	}
	out := b.say("remember the milk")
	assert.Contains(t, out.Notice, "dry run", "Submit works as it did")
	assert.Empty(t, b.tool.calls)
	b.intact()
}

func TestI1_ADryPermitTakesNoClaimOfAnEffect(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Live, o.Dry = false, true })
	for _, claim := range []act.State{act.Done, act.Failed, act.Unknown} {
		p, err := b.Begin(t.Context(), b.decideOn("send_money", `(:recipient "x" :amount 600)`))
		require.NoError(t, err)
		require.True(t, p.Dry())
		before := b.Journal().Last()
		require.ErrorIs(t, p.Finish(t.Context(), Receipt{State: claim}), act.ErrDry, claim)
		assert.Equal(t, before, b.Journal().Last(), "nothing is written")
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Nothing}))
	}
	b.intact()
}

func TestOpen_OneChoiceOfHowEffectsHappen(t *testing.T) {
	for _, opt := range []Options{{Live: true, Dry: true}, {Dry: true, Observe: true}, {Live: true, Observe: true},
		{Live: true, Dry: true, Observe: true}} {
		_, err := open(t.Context(), opt)
		assert.ErrorContains(t, err, "contradict", "%+v", opt)
	}
}
