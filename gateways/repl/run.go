package repl

import (
	"context"
	"errors"
	"fmt"

	capabilitydesk "github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/orders"
	"github.com/opencortex-go/cortex/runs"
	rundesk "github.com/opencortex-go/cortex/runs/desk"
	"github.com/opencortex-go/cortex/sexpr"
)

// RunDesk carries out what people order about runs, as [rundesk.Desk] does.
type RunDesk interface {
	Do(ctx context.Context, who runs.Person, verb string, params []byte) (rundesk.Answer, error)
}

// changesRuns is true for the orders that take an operator: all but those that only read.
func changesRuns(args []sexpr.Value) bool { return !rundesk.Reads(call{args: args}.name(0)) }

// orderRun carries out an order about runs.
func orderRun(ctx context.Context, s *Session, c call) (Result, error) {
	return s.order(ctx, c, func(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
		if s.r.opt.Desk == nil {
			return orders.Answer{}, errors.New("this daemon runs no workflows")
		}
		who := runs.Person{Principal: s.c.Peer.Principal, Via: s.c.Peer.Source}
		if s.c.Approver != nil {
			who = runs.Person{Principal: s.c.Approver.Name, Via: s.c.Approver.Via}
		}
		return s.r.opt.Desk.Do(ctx, who, verb, params)
	})
}

// CapabilityDesk carries out what people order about capabilities, as that of package
// capabilities/desk does. who is nil for a caller that has not shown the pairing secret.
type CapabilityDesk interface {
	Do(ctx context.Context, who *cortex.Approver, verb string, params []byte) (orders.Answer, error)
}

// changesCapabilities is true for the orders that take an operator: all but those that only read.
func changesCapabilities(args []sexpr.Value) bool {
	return !capabilitydesk.Reads(call{args: args}.name(0))
}

// orderCapability carries out an order about capabilities.
func orderCapability(ctx context.Context, s *Session, c call) (Result, error) {
	return s.order(ctx, c, func(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
		if s.r.opt.Capabilities == nil {
			return orders.Answer{}, errors.New("this engine has no capabilities")
		}
		return s.r.opt.Capabilities.Do(ctx, s.c.Approver, verb, params)
	})
}

// order has a desk carry out a verb with the object of an order.
func (s *Session) order(ctx context.Context, c call,
	do func(ctx context.Context, verb string, params []byte) (orders.Answer, error)) (Result, error) {
	const want = `VERB ["JSON"]`
	if err := c.count(1, 2, want); err != nil {
		return Result{}, err
	}
	verb := c.name(0)
	params, given := c.text(1)
	if verb == "" || len(c.args) == 2 && !given {
		return Result{}, c.wrong(want)
	}
	room, _, _ := s.allowed(ctx)
	a, err := do(orders.Within(ctx, room/4), verb, []byte(params)) // a quote in a text takes two bytes
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{}, c.fail(CodeFailed, "%s", err)
	}
	return answered(c, a), nil
}

// answered is what an order came to, with the form that asks for the next page of a list.
func answered(c call, a orders.Answer) Result {
	value := sexpr.Plist("text", sexpr.Str(a.Text), "json", sexpr.Str(string(a.JSON)))
	out := a.Text
	if a.Next != nil {
		next := sexpr.Str(string(a.Next))
		value = value.With("next", next)
		out += fmt.Sprintf("[more: (%s %s %s)]\n", c.form.Items()[0], sexpr.Str(c.name(0)), next)
	}
	return Result{Out: out, Quiet: true, Value: value}
}
