package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// advance hands in an output for the step that the ticket is for. A repeat is answered from the
// record.
func (r *Runs) advance(ctx context.Context, by Caller, c *tools.ContinueWorkflow) (*tools.Reply, error) {
	s, err := r.seat(ctx, c.ContinueToken)
	if err != nil {
		return nil, err
	}
	if s.attempt == "" || s.ticket != nil && s.ticket.Kind != ticket.Continue {
		return nil, &ticket.Error{Code: ticket.InvalidFormat, Message: "the ticket hands in no step", Suggestion: readAgain}
	}
	if err := r.owned(s.session, by); err != nil {
		return nil, err
	}
	if rep, err := r.replay(ctx, s); rep != nil || err != nil {
		return rep, err
	}
	ctx, leave, err := r.turn(ctx, s.session)
	if err != nil {
		return nil, err
	}
	defer leave()
	h, err := handedBy(by, s.attempt, c)
	if err != nil {
		return nil, err
	}
	cl, err := r.closeAt(ctx, s.session, h, func(log *fold.State) (*fold.Node, error) {
		if log.Advance(s.attempt) != nil {
			return nil, errSettled
		}
		return s.nodeOf(log)
	})
	if errors.Is(err, errSettled) { // another handed it in meanwhile
		return r.replay(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return r.enter(ctx, by, cl)
}

// closeAt says what an output comes to at the node that find finds.
func (r *Runs) closeAt(ctx context.Context, session event.SessionID, h handed,
	find func(*fold.State) (*fold.Node, error)) (cl *closing, err error) {
	err = r.shelf.Read(ctx, session, func(log *fold.State) error {
		node, err := find(log)
		if err == nil && node == nil {
			err = unknownNode(logs.ErrNoEvent)
		}
		if err != nil {
			return err
		}
		p, err := r.place(log, node)
		if err == nil {
			cl, err = r.close(p, h)
		}
		return err
	})
	return cl, err
}

// turn takes the turn of a log, so that nothing else changes it meanwhile. Who has it ends what
// they began, by a context that does not end: a write that is left on its way would be entered
// during the turn of another.
func (r *Runs) turn(ctx context.Context, session event.SessionID) (context.Context, func(), error) {
	leave, err := r.logs.Turn(ctx, string(session))
	if err != nil {
		return ctx, nil, &ticket.Error{Code: ticket.SessionLocked, Message: "another call works on this run",
			Suggestion: "send the same call again in a second"}
	}
	return context.WithoutCancel(ctx), leave, nil
}

// replay answers a repeated advance from the record; nil if the attempt is open.
func (r *Runs) replay(ctx context.Context, s *seat) (rep *tools.Reply, err error) {
	err = r.shelf.Read(ctx, s.session, func(log *fold.State) error {
		if done := log.Advance(s.attempt); done != nil {
			rep, err = r.kept(log, done)
			return err
		}
		return nil
	})
	return rep, err
}

// enter writes what closed an attempt, and answers.
func (r *Runs) enter(ctx context.Context, by Caller, cl *closing) (*tools.Reply, error) {
	out, err := r.shelf.Append(ctx, shelf.Operation{By: by.Principal, Events: cl.events, Keep: cl.keep,
		Over: cl.over, Held: cl.held, Wakes: cl.wakes, Leaves: cl.leaves})
	if err != nil {
		return nil, err
	}
	if out.Known || out.Events[0].Index != cl.first {
		return nil, fmt.Errorf("log %s: the events of attempt %s were not entered at %d", cl.session, cl.attempt, cl.first)
	}
	err = r.shelf.Read(ctx, cl.session, func(log *fold.State) error {
		return r.seal(log, log.Node(cl.to), cl.attempt, cl.reply)
	})
	return cl.reply, err
}
