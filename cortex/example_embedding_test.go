package cortex_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"testing"
	"testing/fstest"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/skills"
)

// docs/embedding.md shows the code between the lines that begin with "page:".

// page: rules
const shop = `
(deftool refund :params (:order string :amount integer) :required (:order :amount) :tier :allow)
(defskill refunds :trigger (= action.tool "refund")
  :gate ((deny too-much :when (> action.args.amount 500) :reason "refunds stop at 500")
         (ask large :when (> action.args.amount 50) :reason "more than 50 needs a yes")))`

var rules = fstest.MapFS{"shop.lisp": {Data: []byte(shop)}} // usually os.DirFS("rules")
// page: end

// page: tool
func refund(_ context.Context, call act.Call) (act.Receipt, error) {
	args := call.Action.Native()
	fmt.Println("paying back", args["amount"], "for", args["order"]) // your own code
	return act.Receipt{State: act.Done}, nil
}

var tools = []act.Tool{{Schema: &skills.Tool{Name: "refund"}, Actuator: act.Func(refund)}}

// page: end

func open(opt cortex.Options) *cortex.Engine {
	eng, err := cortex.Open(context.Background(), opt)
	if err != nil {
		log.Fatal(err)
	}
	return eng
}

func call(tool string, args map[string]any) *cortex.Action {
	action, err := cortex.NewAction(tool, args, "")
	if err != nil {
		log.Fatal(err)
	}
	return action
}

// The first useful thing: a tool that runs only as the rules say.
func Example_embedding() {
	// page: first
	ctx := context.Background()
	eng, err := cortex.Open(ctx, cortex.Options{Rules: rules, Tools: tools, Live: true})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()

	for _, amount := range []int{40, 4000} {
		action, err := cortex.NewAction("refund", map[string]any{"order": "A1", "amount": amount}, "")
		if err != nil {
			log.Fatal(err)
		}
		receipt, err := eng.Do(ctx, action, nil)
		if err != nil {
			fmt.Println(err) // nothing was run
			continue
		}
		fmt.Println(receipt.State)
	}
	// page: end
	// Output:
	// paying back 40 for A1
	// done
	// deny: refunds/too-much: refunds stop at 500
}

// A person answers while the program waits.
func Example_people() {
	ctx := context.Background()
	eng := open(cortex.Options{Rules: rules, Tools: tools, Live: true,
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}}})
	defer eng.Close()
	action := call("refund", map[string]any{"order": "A1", "amount": 400})
	answer := func(token string) {
		// page: answer
		err := eng.Approve(ctx, token, cortex.Approver{Name: "ana", Via: "desk"})
		// page: end
		if err != nil {
			log.Fatal(err)
		}
	}

	// page: held
	receipt, err := eng.Do(ctx, action, nil)
	var held *cortex.Held
	if errors.As(err, &held) {
		fmt.Println(held.Decision.Reasons[0].Text)
		go answer(held.Approval.Token) // show it to people; one of them says yes
		receipt, err = held.Wait(ctx)
	}
	fmt.Println(receipt.State, err)
	// page: end
	// Output:
	// more than 50 needs a yes
	// paying back 400 for A1
	// done <nil>
}

// page: gate
// Customers with an open dispute get nothing back until it is settled.
var disputes = cortex.Gate{
	Name: "disputes", Version: "1", Priority: 100, Tools: []string{"refund"},
	Judge: func(ctx context.Context, c *skills.Case) (skills.Verdict, error) {
		order, _ := c.Action().Native()["order"].(string)
		open, err := disputed(ctx, order)
		if err != nil {
			return nil, err // denies, as a panic and a late answer do
		}
		if open {
			return skills.Deny{Reason: skills.Reason{Key: "open", Text: "the order is disputed"}}, nil
		}
		return skills.Pass{}, nil
	},
}

// page: end

func disputed(_ context.Context, order string) (bool, error) {
	if order == "" {
		return false, errors.New("no order")
	}
	return order == "B2", nil
}

// A gate written in Go judges beside the rules.
func Example_gates() {
	ctx := context.Background()
	// page: gates
	eng, err := cortex.Open(ctx, cortex.Options{Rules: rules, Tools: tools, Live: true, Gates: []cortex.Gate{disputes}})
	// page: end
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	for _, order := range []string{"A1", "B2", ""} {
		receipt, err := eng.Do(ctx, call("refund", map[string]any{"order": order, "amount": 40}), nil)
		fmt.Println(receipt.State, err)
	}
	// Output:
	// paying back 40 for A1
	// done <nil>
	//  deny: disputes/open: the order is disputed
	//  deny: gate/disputes/failed: a check could not be made, so the action is refused
}

// What is decided, done and answered can be heard of as it happens.
func Example_events() {
	ctx := context.Background()
	brief := func(_ []string, a slog.Attr) slog.Attr { // the rest differs at each run
		switch a.Key {
		case "msg", "kind", "key", "state", "tool":
			return a
		}
		return slog.Attr{}
	}
	// page: events
	events := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: brief})
	eng, err := cortex.Open(ctx, cortex.Options{Rules: rules, Tools: tools, Live: true,
		Logger:     slog.New(events),
		OnDecision: func(session string, d *cortex.Decision) { count(d.Kind.String()) },
	})
	// page: end
	if err != nil {
		log.Fatal(err)
	}
	_, err = eng.Decide(ctx, call("refund", map[string]any{"order": "A1", "amount": 4000}), nil)
	if err != nil {
		log.Fatal(err)
	}
	eng.Close() // waits until all is told
	fmt.Println(counted)
	// Output:
	// msg=decision kind=deny key=refunds/too-much tool=refund
	// map[deny:1]
}

var counted = map[string]int{}

func count(kind string) { counted[kind]++ }

// page: power
// Wherever the power goes: money is paid back at most once, and the record says so.
func TestRefundsSurvivePowerCuts(t *testing.T) {
	ctx := t.Context()
	for n, through := 1, false; !through; n += 7 {
		books := cortextest.NewLedger()
		refund := act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
			books.Effect(call.Key, call.Action) // where your own tool changes the world
			return act.Receipt{State: act.Done}, nil
		})
		m := cortextest.NewMachine(t, 1, cortex.Options{Rules: rules, Live: true,
			Tools:     []act.Tool{{Schema: &skills.Tool{Name: "refund"}, Actuator: refund}},
			Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}}})
		eng, action := m.Start(), call("refund", map[string]any{"order": "A1", "amount": 400})

		m.CutPowerAt(n) // before the nth change to the disk from now
		_, err := eng.Do(ctx, action, nil)
		var held *cortex.Held
		if errors.As(err, &held) && eng.Approve(ctx, held.Approval.Token, cortex.Approver{Name: "ana"}) == nil {
			books.Granted(held.Approval.Token) // so it must be there afterwards
			_, _ = eng.Do(ctx, action, nil)
		}
		through = m.Cuts() == 0

		eng = m.Start() // on what the cut left
		_, _ = eng.Do(ctx, action, nil)
		if err := books.Check(eng.Journal()); err != nil || books.Effects() > 1 {
			t.Errorf("power cut at change %d: %d refunds, %v", n, books.Effects(), err)
		}
	}
}

// page: end
