package repl

import (
	"context"

	notedesk "github.com/opencortex-go/cortex/notes/desk"
	"github.com/opencortex-go/cortex/sexpr"
)

// NoteDesk carries out what people order about notes, as [notedesk.Desk] does.
type NoteDesk interface {
	Do(ctx context.Context, who, verb string, params []byte) (notedesk.Answer, error)
}

// changesNotes is true for the orders that take an operator: all but those that only read.
func changesNotes(args []sexpr.Value) bool { return !notedesk.Reads(call{args: args}.name(0)) }

// orderNotes carries out an order about notes.
func orderNotes(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `VERB ["JSON"]`
	if err := c.count(1, 2, want); err != nil {
		return Result{}, err
	}
	verb := c.name(0)
	params, given := c.text(1)
	if verb == "" || len(c.args) == 2 && !given {
		return Result{}, c.wrong(want)
	}
	if s.r.opt.Notes == nil {
		return Result{}, c.fail(CodeFailed, "this daemon keeps no notes")
	}
	who := s.c.Peer.Principal
	if s.c.Approver != nil {
		who = s.c.Approver.Name
	}
	a, err := s.r.opt.Notes.Do(ctx, who, verb, []byte(params))
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{}, c.fail(CodeFailed, "%s", err)
	}
	value := sexpr.Plist("text", sexpr.Str(a.Text), "json", sexpr.Str(string(a.JSON)))
	return Result{Out: a.Text, Quiet: true, Value: value}, nil
}
