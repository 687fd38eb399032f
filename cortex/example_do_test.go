package cortex_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

// The engine runs the program's own tool: what is allowed at once, what needs a person
// when somebody has said yes, and what is refused never.
func ExampleEngine_Do() {
	ctx := context.Background()
	refund := act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
		fmt.Println("running", call.Action.Native())
		return act.Receipt{State: act.Done}, nil
	})
	eng, err := cortex.Open(ctx, cortex.Options{
		Live: true, Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
		Rules: fstest.MapFS{"refunds.lisp": {Data: []byte(`
(deftool refund :params (:order string :amount integer) :required (:order :amount) :tier :allow)
(defskill refunds :trigger (= action.tool "refund")
  :gate ((deny too-much :when (> action.args.amount 500) :reason "refunds stop at 500")
         (ask large :when (> action.args.amount 50) :reason "more than 50 needs a yes")))`)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "refund"}, Actuator: refund}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()

	for _, amount := range []int{40, 400, 4000} {
		action, err := cortex.NewAction("refund", map[string]any{"order": "A1", "amount": amount}, "")
		if err != nil {
			log.Fatal(err)
		}
		receipt, err := eng.Do(ctx, action, nil)
		var held *cortex.Held
		if errors.As(err, &held) {
			fmt.Println(held.Decision.Reasons[0].Text)
			err = eng.Approve(ctx, held.Approval.Token, cortex.Approver{Name: "ana", Via: "desk"}) // a person, elsewhere
			if err == nil {
				receipt, err = held.Wait(ctx)
			}
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(receipt.State)
	}
	// Output:
	// running map[amount:40 order:A1]
	// done
	// more than 50 needs a yes
	// running map[amount:400 order:A1]
	// done
	// deny: refunds/too-much: refunds stop at 500
}
