package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/skills"
)

// What a tool returned as text belongs to the session as typed results do: the
// model is shown it in later turns, and rules may read it.
func TestTextThatAToolReturnedIsRemembered(t *testing.T) {
	b := newBench(t, testRules+`
(defskill memory :trigger (= action.tool "peek") :gate ((deny twice :when (some session.calls (= (get it.result "") "three apples")) :reason "you know already")))
(deftool peek :tier :allow :effect :none)`, `
(:form (:tool "peek"))
(:when ("three apples") :reply "three")
(:form (:tool "peek") :expect ("how many were there?" "three apples"))
(:reply "three, as I said" :expect ("you know already"))`, func(o *Options) {
		o.Tools = append(o.Tools, act.Tool{Schema: &skills.Tool{Name: "peek"},
			Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: "three apples"}, nil
			})})
	})
	assert.Equal(t, "three", b.say("how many apples?").Text)
	out := b.say("how many were there?")
	assert.Empty(t, out.Notice)
	b.intact()
}
