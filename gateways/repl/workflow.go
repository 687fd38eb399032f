package repl

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// Runs answers the calls of the tools for workflows, as [runs.Runs] does.
type Runs interface {
	Call(ctx context.Context, by runs.Caller, c tools.Call) (any, error)
}

// callWorkflow makes a call of one of the tools that agents have. Whose run it is and in which
// session it acts comes from the connection; what the caller hands in counts as a person's words
// only where the pairing secret was shown, which no agent has. An error of the tool is an answer
// too: the agent reads it.
func callWorkflow(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TOOL" ["JSON"]`
	if err := c.count(1, 2, want); err != nil {
		return Result{}, err
	}
	tool, ok := c.text(0)
	params, given := c.text(1)
	if !ok || len(c.args) == 2 && !given {
		return Result{}, c.wrong(want)
	}
	if s.r.opt.Runs == nil {
		return Result{}, c.fail(CodeFailed, "this daemon runs no workflows")
	}
	var out any
	read, err := tools.Read(tools.Name(tool), []byte(params))
	if err == nil {
		out, err = s.r.opt.Runs.Call(ctx, runs.Caller{Principal: s.c.Peer.Principal, Session: s.c.Peer.Session,
			Person: s.c.Approver != nil}, read)
	}
	if err != nil && ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	a := tools.AnswerOf(out, err)
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.InternalError { // no agent hears why
		s.r.opt.Logger.Error("a call of a tool for workflows failed", "tool", tool, "error", errors.Unwrap(e))
	}
	return Result{Out: a.Text + "\n", Quiet: true, Value: sexpr.Plist("failed", sexpr.Bool(a.Failed),
		"text", sexpr.Str(a.Text), "json", sexpr.Str(string(a.JSON)))}, nil
}
