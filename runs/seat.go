package runs

import (
	"context"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// seat is what a ticket gives: one attempt at one node.
type seat struct {
	session event.SessionID
	node    event.NodeID
	attempt event.AttemptID
	ticket  *ticket.Ticket // nil for a token of the seed's form
}

const readAgain = "call continue_workflow with intent rehydrate and the newest continueToken of this run"

// seat reads a ticket, and checks its signature. It writes nothing.
func (r *Runs) seat(ctx context.Context, text string) (*seat, error) {
	keys, err := r.keys()
	if err != nil {
		return nil, err
	}
	for _, head := range []string{"st.", "ack.", "chk."} {
		if strings.HasPrefix(strings.TrimSpace(text), head) {
			return r.longSeat(ctx, text, keys)
		}
	}
	t, err := ticket.Parse(text)
	if err != nil {
		return nil, err
	}
	session, err := r.shelf.Began(t.First)
	if err != nil {
		return nil, unknownNode(err)
	}
	s := &seat{session: session, attempt: t.ID(session), ticket: t}
	err = r.shelf.Read(ctx, session, func(log *fold.State) error {
		node := log.NodeAt(t.Node)
		if node == nil || log.At(0).Record != t.First { // or of a log that is gone, and whose name another has
			return logs.ErrNoEvent
		}
		s.node = node.ID
		return t.Verify(keys, log.At(node.Index).Hash)
	})
	if err != nil {
		return nil, unknownNode(err)
	}
	return s, nil
}

// longSeat reads a token of the seed's forms. It must fit the run in all that it says.
func (r *Runs) longSeat(ctx context.Context, text string, keys ticket.Keys) (*seat, error) {
	l, err := ticket.ParseLong(text, keys)
	if err != nil {
		return nil, err
	}
	err = r.shelf.Read(ctx, l.Session, func(log *fold.State) error {
		switch {
		case log.Run != l.Run:
			return tools.Failed(ticket.ScopeMismatch, "the token is of the run "+string(l.Run)+
				", and its session holds the run "+string(log.Run), readAgain)
		case l.Hash != "" && l.Hash != log.Started.Hash:
			return tools.Failed(ticket.WorkflowHashMismatch, "the token is of another plan than the run", readAgain)
		case log.Node(l.Node) == nil:
			return logs.ErrNoEvent
		}
		return nil
	})
	if err != nil {
		return nil, unknownNode(err)
	}
	return &seat{session: l.Session, node: l.Node, attempt: l.Attempt}, nil
}

// SeedTokens are tokens of the seed's three forms for the place and the attempt of a ticket.
type SeedTokens struct{ State, Ack, Checkpoint string }

// SeedTokens writes the long tokens for a ticket, for programs that know no other. They count as
// the ticket does, and no other reply has them.
func (r *Runs) SeedTokens(ctx context.Context, by Caller, token string) (out SeedTokens, err error) {
	s, err := r.seat(ctx, token)
	if err == nil {
		err = r.owned(s.session, by)
	}
	if err != nil {
		return out, tools.AsError(err)
	}
	keys, err := r.keys()
	if err != nil {
		return out, tools.AsError(err)
	}
	err = r.shelf.Read(ctx, s.session, func(log *fold.State) error {
		for kind, to := range map[string]*string{ticket.StateToken: &out.State, ticket.AckToken: &out.Ack,
			ticket.CheckpointToken: &out.Checkpoint} {
			l := ticket.Long{Version: 1, Kind: kind, Session: s.session, Run: log.Run, Node: s.node, Attempt: s.attempt}
			if kind == ticket.StateToken {
				l.Attempt, l.Hash = "", log.Started.Hash
			}
			if *to, err = l.Mint(keys.Current); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return out, tools.AsError(err)
	}
	return out, nil
}

// keys are what tickets of this record are signed with.
func (r *Runs) keys() (ticket.Keys, error) {
	k, err := r.logs.TicketKeys()
	return ticket.Keys{Current: k.Current, Previous: (*ticket.Key)(k.Previous)}, err
}

func unknownNode(err error) error {
	if errors.Is(err, logs.ErrNoLog) || errors.Is(err, logs.ErrNoEvent) {
		return &ticket.Error{Code: ticket.UnknownNode, Message: "the ticket names no place of a run on this record",
			Suggestion: "find the run with resume_session"}
	}
	return err
}

// nodeOf finds the node of a seat.
func (s *seat) nodeOf(log *fold.State) (*fold.Node, error) {
	node := log.Node(s.node)
	if node == nil {
		return nil, unknownNode(logs.ErrNoEvent)
	}
	return node, nil
}

// owned refuses a caller whose run it is not. Persons see all runs.
func (r *Runs) owned(session event.SessionID, by Caller) error {
	head, err := r.logs.Head(string(session))
	if err != nil {
		return unknownNode(err)
	}
	if by.Person || head.Owner == by.Principal {
		return nil
	}
	return tools.Failed(ticket.ScopeMismatch, "the run belongs to another principal",
		"ask an operator to give it to you: cortex run give")
}

// ticketFor writes the ticket for an attempt at a node.
func (r *Runs) ticketFor(log *fold.State, node *fold.Node, try ticket.Try) (string, error) {
	keys, err := r.keys()
	if err != nil {
		return "", err
	}
	t := ticket.Ticket{Label: event.Label(log.Session, log.Started.Workflow), Kind: ticket.Continue,
		First: log.At(0).Record, Node: node.Index, Attempt: try}
	return t.Mint(keys.Current, log.At(node.Index).Hash)
}
