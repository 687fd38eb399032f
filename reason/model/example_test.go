package model_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
)

// A model that is refused hears why, and may try again.
func ExampleReflect() {
	scripted, err := model.NewScripted("model", "script.lisp", `
		(:reply "(:tool \"shell\" :args (:cmd \"rm -r x\"))")
		(:reply "I would rather not." :expect ("PREVIOUS PROPOSAL REJECTED" "recursive delete"))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := reason.LoadRules(fstest.MapFS{"rules.lisp": {Data: []byte(`
		(deftool shell :params (:cmd command) :required (:cmd) :tier :ask)
		(defskill guard
		  :trigger (= action.tool "shell")
		  :gate ((deny destroys :when (some (shell action.args.cmd) (= it.name "rm")) :reason "recursive delete")))`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	thinker := model.Thinker{Providers: []model.Provider{scripted}}
	out, err := model.Reflect(context.Background(), model.ReflectOptions{
		Think: func(ctx context.Context, said []model.Message) (model.Candidate, error) {
			return thinker.Think(ctx, model.Turn{Policy: book, Said: said})
		},
		Decide: func(ctx context.Context, p model.Proposal) (*reason.Decision, error) {
			return reason.Decide(ctx, reason.Request{Policy: book, Proposal: p.Form}), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Attempts, out.Allowed[0].Decision.Action.Canonical())
	// Output:
	// 2 (:args (:text "I would rather not.") :target :tool :tool "reply" :type :request)
}
