package engine

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
)

func TestDo(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Rules = fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool note :params (:text string) :required (:text) :tier :allow :effect :local)
(defskill words :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a yes")))`)}}
	})
	do := func(text string) (Receipt, error) {
		a, err := NewAction("note", map[string]any{"text": text}, "")
		require.NoError(t, err)
		return b.Do(t.Context(), a, nil)
	}
	held := func(text string) *Held {
		_, err := do(text)
		var h *Held
		require.ErrorAs(t, err, &h)
		assert.Equal(t, approval.Pending, h.Approval.State)
		assert.ErrorContains(t, err, "waits for a person: a secret needs a yes")
		return h
	}

	rc, err := do("milk")
	require.NoError(t, err)
	assert.Equal(t, act.Done, rc.State)
	_, err = do("rude words")
	var no *ledger.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Equal(t, "words/rude", no.Decision.Key)
	assert.Equal(t, 1, b.tool.count())

	yes := held("a secret")
	came := make(chan error, 1)
	go func() {
		rc, err := yes.Wait(t.Context())
		assert.Equal(t, act.Done, rc.State)
		came <- err
	}()
	require.NoError(t, b.Approve(t.Context(), yes.Approval.Token, ana))
	require.NoError(t, <-came)
	assert.Equal(t, 2, b.tool.count())
	_, err = yes.Wait(t.Context()) // the yes is used
	assert.ErrorContains(t, err, "is consumed")

	refused := held("another secret")
	require.NoError(t, b.Deny(t.Context(), refused.Approval.Token, ana, "keep it to yourself"))
	_, err = refused.Wait(t.Context())
	assert.ErrorContains(t, err, "is denied by ana: keep it to yourself")

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = held("a third secret").Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var open *Held
	require.True(t, errors.As(err, &open))
	assert.Equal(t, approval.Pending, open.Approval.State)
	assert.Equal(t, 2, b.tool.count())
	b.intact()
}

// I1, I2: a host has the engine run what one decision on record allows, once. No other record, no denial, and no
// ask without a yes runs anything.
func TestI1_PerformRunsWhatOneDecisionAllowsOnce(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Rules = fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool note :params (:text string) :required (:text) :tier :allow :effect :local)
(defskill words :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a yes")))`)}}
	})
	decide := func(text string) uint64 {
		a, err := NewAction("note", map[string]any{"text": text}, "")
		require.NoError(t, err)
		d, err := b.Decide(t.Context(), a, nil)
		require.NoError(t, err)
		return d.ID
	}
	perform := func(seq uint64) error {
		_, _, err := b.Hosts().Perform(t.Context(), seq)
		return err
	}
	good := decide("milk")
	require.NoError(t, perform(good))
	require.ErrorIs(t, perform(good), ledger.ErrUsed)
	for _, seq := range []uint64{decide("rude"), decide("secret")} {
		var no *ledger.NotAllowed
		require.ErrorAs(t, perform(seq), &no)
	}
	last := b.j.View().Last() // what was denied or asked is decided again
	for seq := uint64(0); seq <= last+2; seq++ {
		require.Error(t, perform(seq), "record %d", seq)
	}
	assert.Equal(t, 1, b.tool.count())
	b.intact()
}
