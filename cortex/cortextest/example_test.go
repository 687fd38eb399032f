package cortextest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing/fstest"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/skills"
)

const shop = `
(deftool refund :params (:order string :amount integer) :required (:order :amount) :tier :ask)`

// options are those of a shop whose tool notes what it does.
func options(books *cortextest.Ledger) cortex.Options {
	refund := act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
		books.Effect(call.Key, call.Action)
		return act.Receipt{State: act.Done}, nil
	})
	return cortex.Options{
		Live: true, Rules: fstest.MapFS{"shop.lisp": {Data: []byte(shop)}},
		Tools:     []act.Tool{{Schema: &skills.Tool{Name: "refund"}, Actuator: refund}},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
	}
}

func refund(order string) *cortex.Action {
	action, err := cortex.NewAction("refund", map[string]any{"order": order, "amount": 40}, "")
	if err != nil {
		panic(err)
	}
	return action
}

// The power goes after a person has said yes and before anything is done. The yes is on
// record, and holds for one refund.
func ExampleMachine() {
	ctx, books := context.Background(), cortextest.NewLedger()
	m := cortextest.NewMachine(nil, 1, options(books)) // in a test: t, and no Close
	defer m.Close()

	eng := m.Start()
	_, err := eng.Do(ctx, refund("A1"), nil)
	var held *cortex.Held
	if errors.As(err, &held) {
		err = eng.Approve(ctx, held.Approval.Token, cortex.Approver{Name: "ana"})
	}
	fmt.Println("approved:", err)
	m.CutPower()
	_, err = eng.Do(ctx, refund("A1"), nil)
	fmt.Println("without power:", err != nil, books.Effects())

	eng = m.Start()
	receipt, err := eng.Do(ctx, refund("A1"), nil)
	fmt.Println("afterwards:", receipt.State, err, books.Effects())
	_, err = eng.Do(ctx, refund("A1"), nil)
	fmt.Println("once more:", errors.As(err, &held), books.Effects())
	fmt.Println("on record:", books.Check(eng.Journal()))
	// Output:
	// approved: <nil>
	// without power: true 0
	// afterwards: done <nil> 1
	// once more: true 1
	// on record: <nil>
}

// A tool that cuts the power has done its work, and there is no receipt. The next engine
// does not know whether it happened, and does not do it again.
func ExampleMachine_CutPower() {
	ctx, books := context.Background(), cortextest.NewLedger()
	opt := options(books)
	var m *cortextest.Machine
	done := opt.Tools[0].Actuator
	opt.Tools[0].Actuator = act.Func(func(ctx context.Context, call act.Call) (act.Receipt, error) {
		defer m.CutPower()
		return done.Act(ctx, call)
	})
	opt.Rules = fstest.MapFS{"shop.lisp": {Data: []byte(strings.Replace(shop, ":ask", ":allow", 1))}}
	m = cortextest.NewMachine(nil, 1, opt)
	defer m.Close()

	_, _ = m.Start().Do(ctx, refund("A1"), nil)
	eng := m.Start()
	_, err := eng.Do(ctx, refund("A1"), nil)
	fmt.Println(err)
	doubts, err := eng.Operations().Doubts(ctx)
	fmt.Println(len(doubts), err, books.Effects())
	// Output:
	// deny: in-doubt: the same action was tried before and nobody knows yet whether it happened
	// 1 <nil> 1
}

// Cards run out by the machine's clock.
func ExampleClock() {
	ctx := context.Background()
	m := cortextest.NewMachine(nil, 1, options(cortextest.NewLedger()))
	defer m.Close()
	eng := m.Start()
	_, err := eng.Do(ctx, refund("A1"), nil)
	var held *cortex.Held
	fmt.Println(errors.As(err, &held))

	m.Clock.Add(25 * time.Hour)
	err = eng.Approve(ctx, held.Approval.Token, cortex.Approver{Name: "ana"})
	var state *cortex.StateError
	fmt.Println(errors.As(err, &state), state.State)
	// Output:
	// true
	// true expired
}
