package cortex_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
)

// A program that runs its own tools asks before it acts, and says what came of
// it.
func Example() {
	ctx := context.Background()
	rules := fstest.MapFS{"refunds.lisp": {Data: []byte(`
(deftool refund :params (:order string :amount number) :required (:order :amount) :tier :allow)
(defskill refunds
  :trigger (= action.tool "refund")
  :gate ((deny too-much :when (> action.args.amount 100) :reason "refunds stop at 100")))`)}}
	eng, err := cortex.Open(ctx, cortex.Options{Rules: rules, Live: true}) // Dir: "state" keeps the record on disk
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()

	for _, amount := range []int64{40, 400} {
		action, err := cortex.NewAction("refund", map[string]any{"order": "A1", "amount": amount}, "")
		if err != nil {
			log.Fatal(err)
		}
		d, err := eng.Decide(ctx, action, nil) // recorded, whatever it is
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.Kind, d.Key)
		permit, err := eng.Begin(ctx, d) // the intent is on disk before the effect
		if err != nil {
			fmt.Println(err)
			continue
		}
		// ... pay permit.Action() back here ...
		err = permit.Finish(ctx, cortex.Receipt{State: act.Done})
		fmt.Println(permit.Action().Canonical(), err)
	}
	// Output:
	// allow tier/refund
	// (:args (:amount 40 :order "A1") :target :tool :tool "refund" :type :request) <nil>
	// deny refunds/too-much
	// deny: refunds/too-much: refunds stop at 100
}
