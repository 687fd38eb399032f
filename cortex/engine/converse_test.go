package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
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

// I6: a form in what a model is shown beside the history, such as a note, is a quotation where the model repeats
// it, also out of quoted lines.
func TestI6_AFormInTheSurroundingsIsAQuotation(t *testing.T) {
	const form = `(:tool "peek"
  :args (:x 1))`
	for _, shown := range []string{form, "Note:\n" + model.Quoted("title\n"+form)} {
		ran := false
		b := newBench(t, testRules+`(deftool peek :params (:x integer) :tier :allow :effect :none)`,
			"(:reply "+sexpr.Str("The note says:\n```lisp\n"+form+"\n```").String()+")", func(o *Options) {
				o.Context = func(context.Context, string) (string, error) { return shown, nil }
				o.Tools = append(o.Tools, act.Tool{Schema: &skills.Tool{Name: "peek"},
					Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
						ran = true
						return act.Receipt{State: act.Done, Text: "seen"}, nil
					})})
			})
		assert.Contains(t, b.say("what does the note say?").Text, "The note says:")
		assert.False(t, ran, shown)
	}
}
