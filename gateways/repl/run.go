package repl

import (
	"context"

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
	const want = `VERB ["JSON"]`
	if err := c.count(1, 2, want); err != nil {
		return Result{}, err
	}
	verb := c.name(0)
	params, given := c.text(1)
	if verb == "" || len(c.args) == 2 && !given {
		return Result{}, c.wrong(want)
	}
	if s.r.opt.Desk == nil {
		return Result{}, c.fail(CodeFailed, "this daemon runs no workflows")
	}
	who := runs.Person{Principal: s.c.Peer.Principal, Via: s.c.Peer.Source}
	if s.c.Approver != nil {
		who = runs.Person{Principal: s.c.Approver.Name, Via: s.c.Approver.Via}
	}
	a, err := s.r.opt.Desk.Do(ctx, who, verb, []byte(params))
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{}, c.fail(CodeFailed, "%s", err)
	}
	value := sexpr.Plist("text", sexpr.Str(a.Text), "json", sexpr.Str(string(a.JSON)))
	return Result{Out: a.Text, Quiet: true, Value: value}, nil
}
