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
		  :gate ((deny destroys
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
