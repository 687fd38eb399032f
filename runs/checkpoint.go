package runs

import (
	"context"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
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
	if rep, err := r.marked(ctx, s, mark, nil); rep != nil || err != nil {
		return rep, err
	}
	ctx, leave, err := r.turn(ctx, s.session)
	if err != nil {
		return nil, err
	}
	defer leave()
	var op shelf.Operation
	err = r.shelf.Read(ctx, s.session, func(log *fold.State) error {
		node, err := s.nodeOf(log)
		if err != nil || log.Node(mark) != nil { // another set it meanwhile
			return err
		}
		op, rep, err = r.markPlace(log, node, mark, s, by, c)
		return err
	})
	if err == nil && rep != nil {
		_, err = r.shelf.Append(ctx, op)
	}
	if err != nil {
		return nil, err
	}
	return r.marked(ctx, s, mark, rep)
}

// markPlace makes the events of a checkpoint, and its reply.
func (r *Runs) markPlace(log *fold.State, node *fold.Node, mark event.NodeID, s *seat, by Caller,
	c *tools.CheckpointWorkflow) (op shelf.Operation, rep *tools.Reply, err error) {
	head, err := r.logs.Head(string(log.Session))
	if err != nil {
		return op, nil, err
	}
	h, err := handedBy(by, s.attempt, &tools.ContinueWorkflow{Output: c.Output})
	if err != nil {
		return op, nil, err
	}
	h.attempt = event.Derive[event.AttemptID](string(s.attempt), "checkpoint") // outputs of the mark, not of the attempt
	if rep, err = r.markReply(log, node, mark); err != nil {
		return op, nil, err
	}
	text, ref, err := keepReply(rep)
	if err != nil {
		return op, nil, err
	}
	op = shelf.Operation{By: by.Principal, Over: head.Over, Held: head.Held}
	on := func(n event.NodeID, d event.Data) *event.Event {
		e := event.New(log.Session, event.Scope{Run: log.Run, Node: n}, d)
		op.Events = append(op.Events, e)
		return e
	}
	made := on(mark, &event.NodeCreated{NodeKind: event.CheckpointNode, Parent: &node.ID, Hash: log.Started.Hash,
		Snapshot: node.Snapshot, Reply: ref})
	op.Events = append(op.Events, event.New(log.Session, event.Scope{Run: log.Run}, &event.EdgeCreated{
		EdgeKind: event.CheckpointEdge, From: node.ID, To: mark,
		Cause: event.Cause{Kind: event.CheckpointCreated, Event: made.ID}}))
	list, keep := h.outputs(mark)
	for _, o := range list {
		on(node.ID, o)
	}
	op.Keep = append(keep, text)
	return op, rep, nil
}

// markReply is what a checkpoint is answered.
func (r *Runs) markReply(log *fold.State, node *fold.Node, mark event.NodeID) (*tools.Reply, error) {
	p, err := r.place(log, node)
	if err != nil {
		return nil, err
	}
	a, err := p.answer()
	if err != nil {
		return nil, err
	}
	rep := a.reply()
	rep.Checkpoint = string(mark)
	return rep, nil
}

// marked answers a checkpoint with this reply, or with the one on record; nil if it is not there.
func (r *Runs) marked(ctx context.Context, s *seat, mark event.NodeID, rep *tools.Reply) (*tools.Reply, error) {
	err := r.shelf.Read(ctx, s.session, func(log *fold.State) (err error) {
		made := log.Node(mark)
		if made == nil {
			return nil
		}
		if rep == nil {
			if rep, err = r.keptReply(made.Reply); err != nil {
				return err
			}
		}
		if s.ticket == nil { // a token of the seed's form: the agent has it
			rep.NextCall = nil
			fill(rep, "")
			return nil
		}
		token, err := r.ticketFor(log, made.Parent, s.ticket.Attempt)
		fill(rep, token)
		return err
	})
	return rep, err
}
