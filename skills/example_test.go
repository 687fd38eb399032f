package skills_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// tools are what a model may propose.
type tools []*skills.Tool

func (ts tools) Tool(name string) (*skills.Tool, bool) {
	for _, t := range ts {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

func (ts tools) Tools() []*skills.Tool { return ts }

// A proposal becomes an action in canonical form, or an error that tells the model what
// would be right. What the model claims of itself is dropped.
func ExamplePropose() {
	refund := &skills.Tool{Name: "refund", Required: []string{"order"}, Params: []skills.Param{
		{Name: "order", Type: skills.Type{Kind: skills.KindString}},
		{Name: "amount", Type: skills.Type{Kind: skills.KindInteger, Bounded: true, Lo: 1, Hi: 500}},
	}}
	for _, text := range []string{
		`(:tool "refund" :args (:Order "A1" :amount 40) :approved t)`,
		`(:tool "refund" :args (:amount 4000))`,
	} {
		form, err := sexpr.Read("proposal", text)
		if err != nil {
			fmt.Println(err)
			return
		}
		a, notes, err := skills.Propose(form, tools{refund})
		var schema *skills.SchemaError
		if errors.As(err, &schema) {
			fmt.Println(schema.Text())
			continue
		}
		fmt.Println(a.Canonical())
		for _, n := range notes {
			fmt.Println("note:", n.Text)
		}
	}
	// Output:
	// (:args (:amount 40 :order "A1") :target :tool :tool "refund" :type :request)
	// note: dropped :approved; arguments stand in :args
	// arguments of refund: :amount is 4000, expected an integer from 1 to 500; :order is missing, expected a string
}

// quiet is a gate: nothing is sent at night. It judges by the case alone.
type quiet struct{}

func (quiet) Key() string { return "night/quiet" }

func (quiet) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	if hour := c.Facts().Now / 3600 % 24; hour >= 6 && hour < 22 {
		return skills.Pass{}, nil
	}
	return skills.Deny{Reason: skills.Reason{Text: "nothing is sent at night"}}, nil
}

// A gate looks at a case and gives a verdict. This one stands alone; in a policy its
// verdict is combined with those of all others.
func ExampleGate() {
	mail, err := skills.NewAction("mail", sexpr.Plist("to", sexpr.Str("ana")), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, hour := range []int64{12, 23} {
		v, err := quiet{}.Judge(context.Background(), skills.NewCase(mail, nil, &skills.Facts{Now: hour * 3600}))
		fmt.Printf("%T %v\n", v, err)
	}
	// Output:
	// skills.Pass <nil>
	// skills.Deny <nil>
}
