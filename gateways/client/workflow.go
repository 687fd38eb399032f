package client

import (
	"context"

	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// Workflow makes a call of one of the tools for workflows, with its fields as JSON. What the tool
// says is an answer, also where it is an error; the error here is that there is no answer.
func (c Calls) Workflow(ctx context.Context, tool tools.Name, params []byte) (tools.Answer, error) {
	v, err := c.call(ctx, "workflow-call", sexpr.Str(string(tool)), sexpr.Str(string(params)))
	if err != nil {
		return tools.Answer{}, err
	}
	return tools.Answer{Text: v.GetText("text"), JSON: []byte(v.GetText("json")), Failed: v.GetTrue("failed")}, nil
}

// Order carries out what a person orders about runs, with its fields as JSON.
func (c Calls) Order(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
	return c.order(ctx, "run", verb, params)
}

// Capability carries out what a person orders about capabilities, with its fields as JSON.
func (c Calls) Capability(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
	return c.order(ctx, "capability", verb, params)
}

// order carries out an order. Of a list it asks for all pages.
func (c Calls) order(ctx context.Context, form, verb string, params []byte) (orders.Answer, error) {
	return orders.Gather(params, func(params []byte) (orders.Answer, error) {
		v, err := c.call(ctx, form, sexpr.Str(verb), sexpr.Str(string(params)))
		if err != nil {
			return orders.Answer{}, err
		}
		a := orders.Answer{Text: v.GetText("text"), JSON: []byte(v.GetText("json"))}
		if next := v.GetText("next"); next != "" {
			a.Next = []byte(next)
		}
		return a, nil
	})
}
