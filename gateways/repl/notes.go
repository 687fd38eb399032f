package repl

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/internal/orders"
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
	return s.order(ctx, c, func(ctx context.Context, verb string, params []byte) (orders.Answer, error) {
		if s.r.opt.Notes == nil {
			return orders.Answer{}, errors.New("this daemon keeps no notes")
		}
		who := s.c.Peer.Principal
		if s.c.Approver != nil {
			who = s.c.Approver.Name
		}
		return s.r.opt.Notes.Do(ctx, who, verb, params)
	})
}
