package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason"
)

// A value that a rewrite computes from the action is judged again as any other, goes on
// record, and is computed again when the record is replayed.
func TestComputedRewritesReplay(t *testing.T) {
	b := newBench(t, `
(deftool note :params (:text string :to string) :required (:text) :tier :allow :effect :none)
(deftool send_money :params (:recipient string :amount number) :required (:recipient :amount)
  :tier :allow :effect :external :spends (:money :amount))
(defcondition over? (n limit) (> n limit))
(defskill bounds :priority 5 :trigger (= action.tool "send_money")
  :gate ((deny evil :when (= action.args.recipient "eve") :reason "not her")
         (rewrite cap :when (over? action.args.amount 100)
           :set (:amount (if (over? (spent :money :day) 100) 10 100) :recipient (lower action.args.recipient))
           :reason "at most what is left")))
(defskill notes :trigger (= action.tool "note")
  :gate ((rewrite to :set (:to (lower action.args.to)) :reason "one spelling")))
(definvariant small :when (= action.tool "send_money") :holds (<= action.args.amount 100) :reason "too much")
(defskill louder :trigger (= action.tool "note")
  :gate ((rewrite on :when (= (get action.args.to "") "bo") :set (:to (upper action.args.to)))))`, "")

	d := b.decideOn("send_money", `(:recipient "Ana" :amount 500)`)
	assert.Equal(t, reason.Allow, d.Kind)
	assert.Equal(t, `(:amount 100 :recipient "ana")`, d.Action.Args().String())
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), act.Receipt{State: act.Done}))
	d = b.decideOn("send_money", `(:recipient "Ana" :amount 501)`)
	assert.Equal(t, `(:amount 100 :recipient "ana")`, d.Action.Args().String())
	d = b.decideOn("send_money", `(:recipient "EVE" :amount 502)`)
	assert.Equal(t, "bounds/evil", d.Key, "what was computed is judged as if it had been proposed")
	d = b.decideOn("note", `(:text "x")`)
	assert.Equal(t, "notes/to/error", d.Key, "what is not there is set to nothing")
	d = b.decideOn("note", `(:text "x" :to "Bo")`)
	assert.Equal(t, "rewrite/unsettled", d.Key, "two that never agree")
	b.intact()
}
