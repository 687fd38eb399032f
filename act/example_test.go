package act_test

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A tool of one's own: a schema, and a function that gets exactly the action
// that was allowed. The dispatcher's recorder is normally the engine.
func Example() {
	greet := act.Tool{
		Schema: &skills.Tool{
			Name:     "greet",
			Params:   []skills.Param{{Name: "name", Type: skills.Type{Kind: skills.KindString}}},
			Required: []string{"name"},
		},
		Actuator: act.Func(func(_ context.Context, call act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Done, Text: "hello, " + call.Action.Args().GetText("name")}, nil
		}),
	}
	tools, err := act.NewRegistry(greet)
	if err != nil {
		panic(err)
	}
	recorder := newLedger()
	d := act.NewDispatcher(recorder, tools)

	action, _ := skills.NewAction("greet", sexpr.Plist("name", sexpr.Str("world")), "")
	permit, _ := d.Begin(context.Background(), recorder.allow(action))
	receipt, err := d.Dispatch(context.Background(), permit)
	fmt.Println(receipt.State, receipt.Text, err)
	_, err = d.Dispatch(context.Background(), permit)
	fmt.Println(err)
	// Output:
	// done hello, world <nil>
	// act: this permit has been used; a permit works once
}
