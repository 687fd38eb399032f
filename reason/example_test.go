package reason_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Judging an action takes rules and a proposal: no store, no engine, no
// goroutine.
func ExampleDecide() {
	book, err := reason.LoadRules(fstest.MapFS{"rules.lisp": {Data: []byte(`
		(deftool shell :params (:cmd command) :required (:cmd) :tier :ask)
		(defskill guard
		  :trigger (= action.tool "shell")
		  :gate ((reject destroys
		           :when (some (shell action.args.cmd) (and (= it.name "rm") (flag? it "r")))
		           :reason "recursive delete")))`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cmd := range []string{"ls", "sudo rm -fr /"} {
		d := reason.Decide(context.Background(), reason.Request{
			Policy:   book,
			Proposal: sexpr.Plist("tool", sexpr.Str("shell"), "args", sexpr.Plist("cmd", sexpr.Str(cmd))),
		})
		fmt.Println(d.Kind, d.Key, "-", d.Reasons[0].Text)
	}
	// Output:
	// ask tier/shell - the tool shell needs approval
	// deny guard/destroys - recursive delete
}

// A model that is refused hears why, and may try again.
func ExampleReflect() {
	model, err := reason.NewScripted("model", "script.lisp", `
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
		  :gate ((reject destroys :when (some (shell action.args.cmd) (= it.name "rm")) :reason "recursive delete")))`)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	thinker := reason.Thinker{Providers: []reason.Provider{model}}
	out, err := reason.Reflect(context.Background(), reason.ReflectOptions{
		Think: func(ctx context.Context, said []reason.Message) (reason.Candidate, error) {
			return thinker.Think(ctx, reason.Turn{Policy: book, Said: said})
		},
		Decide: func(ctx context.Context, p reason.Proposal) (*reason.Decision, error) {
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
