package runs

import (
	"context"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// checkpoint marks the place of a ticket, with notes if there are any. The attempt stays open:
// the reply has the same ticket. A repeat finds the mark and writes nothing.
func (r *Runs) checkpoint(ctx context.Context, by Caller, c *tools.CheckpointWorkflow) (rep *tools.Reply, err error) {
	s, err := r.seat(ctx, c.CheckpointToken)
	if err != nil {
		return nil, err
	}
	if s.attempt == "" {
		return nil, &ticket.Error{Code: ticket.InvalidFormat, Message: "the ticket names no attempt", Suggestion: readAgain}
	}
	if err := r.owned(s.session, by); err != nil {
		return nil, err
	}
	mark := event.Derive[event.NodeID](string(s.session), string(s.attempt), "checkpoint")
	if rep, err := r.marked(ctx, s, by, mark); rep != nil || err != nil {
		return rep, err
	}
	leave, err := r.turn(ctx, s.session)
	if err != nil {
		return nil, err
	}
	defer leave()
	if rep, err := r.marked(ctx, s, by, mark); rep != nil || err != nil {
		return rep, err
	}
	var op Operation
	err = r.cache.read(ctx, s.session, func(log *fold.State) error {
		node, err := s.nodeOf(log)
		if err != nil {
			return err
		}
		op, err = r.markPlace(log, node, mark, s, by, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := Append(ctx, r.logs, op); err != nil {
		return nil, err
	}
	r.cache.add(s.session, op.Events)
	return r.marked(ctx, s, by, mark)
}

// markPlace makes the events of a checkpoint.
func (r *Runs) markPlace(log *fold.State, node *fold.Node, mark event.NodeID, s *seat, by Caller,
	c *tools.CheckpointWorkflow) (Operation, error) {
	head, err := r.logs.Head(string(log.Session))
	if err != nil {
		return Operation{}, err
	}
	h, err := handedBy(by, s.attempt, &tools.ContinueWorkflow{Output: c.Output})
	if err != nil {
		return Operation{}, err
	}
	h.attempt = event.Derive[event.AttemptID](string(s.attempt), "checkpoint") // outputs of the mark, not of the attempt
	op := Operation{By: by.Principal, Over: head.Over, Held: head.Held}
	on := func(n event.NodeID, d event.Data) *event.Event {
		e := event.New(log.Session, event.Scope{Run: log.Run, Node: n}, d)
		op.Events = append(op.Events, e)
		return e
	}
	made := on(mark, &event.NodeCreated{NodeKind: event.CheckpointNode, Parent: &node.ID, Hash: log.Started.Hash,
		Snapshot: node.Snapshot})
	op.Events = append(op.Events, event.New(log.Session, event.Scope{Run: log.Run}, &event.EdgeCreated{
		EdgeKind: event.CheckpointEdge, From: node.ID, To: mark,
		Cause: event.Cause{Kind: event.CheckpointCreated, Event: made.ID}}))
	list, keep := h.outputs(mark)
	for _, o := range list {
		on(node.ID, o)
	}
	op.Keep = keep
	return op, nil
}

// marked answers a checkpoint that is on record; nil if it is not.
func (r *Runs) marked(ctx context.Context, s *seat, by Caller, mark event.NodeID) (rep *tools.Reply, err error) {
	err = r.cache.read(ctx, s.session, func(log *fold.State) error {
		if log.Node(mark) == nil {
			return nil
		}
		node, err := s.nodeOf(log)
		if err != nil {
			return err
		}
		p, err := r.place(log, node)
		if err != nil {
			return err
		}
		a, err := p.answer()
		if err != nil {
			return err
		}
		rep = a.reply()
		rep.Checkpoint = string(mark)
		if s.ticket == nil {
			rep.ContinueToken, rep.RetryToken, rep.NextCall = "", "", nil
			return nil
		}
		token, err := r.ticketFor(log, node, s.ticket.Attempt)
		fill(rep, token)
		return err
	})
	return rep, err
}
