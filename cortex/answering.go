package cortex

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// decideInstead decides and goes on with what came of it.
func (s *mainSessions) decideInstead(ctx context.Context, q question) (*reason.Decision, error) {
	d, err := s.ledger.decide(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.instead.then != nil {
		s.resumeLater(q.instead.then)
	}
	return d, q.instead.refuse
}

// Edit lets a person who may answer a card put other arguments in place of the
// model's. The card is superseded, the edited action goes through the gates
// again, and where it still asks, the editor's yes is counted on the new card, all
// in one write. Where that yes does not count there, the error says why, and the
// decision is returned with it.
func (s *mainSessions) Edit(ctx context.Context, token string, who Approver, args sexpr.Value) (*reason.Decision, error) {
	if err := s.ledger.usable(); err != nil {
		return nil, err
	}
	card, err := s.ledger.Approval(ctx, token)
	if err != nil {
		return nil, err
	}
	edited, err := skills.NewAction(card.Action.Tool(), args, card.Action.Explanation())
	if err != nil {
		return nil, fmt.Errorf("approval %s: edited arguments: %w", token, err)
	}
	q, err := s.ledger.asked(card.Decision)
	if err != nil {
		return nil, err
	}
	may := func(_ *journal.Tx, a *Approval) error {
		if a.State != Pending {
			return &StateError{a.Token, a.State}
		}
		return s.ledger.mayAnswer(a, who)
	}
	if _, err := s.ledger.answer(ctx, token, may); err != nil { // before any gate is asked
		return nil, err
	}
	q.proposal, q.action = sexpr.Value{}, edited
	q.instead = &instead{token: token, by: &who, because: "a person has put other arguments in its place: ",
		end: func(tx *journal.Tx, a *Approval) error {
			if err := may(tx, a); err != nil {
				return err
			}
			a.By, a.Why = who.Name, "edited"
			return move(tx, a, Superseded)
		}}
	d, err := s.decideInstead(ctx, q)
	var over *StateError
	if d == nil && errors.As(err, &over) && over.State == Expired { // meanwhile; this puts it on record
		_, late := s.ledger.answer(ctx, token, may)
		err = cmp.Or(late, err)
	}
	return d, err
}

// supersede ends every open approval of another policy and decides its action
// again; what still asks gets a new card.
func (s *mainSessions) supersede(ctx context.Context) error {
	open, err := s.ledger.openApprovals(ctx)
	if err != nil {
		return err
	}
	current := s.policies.current().gates.Hash()
	for _, a := range open {
		if a.Policy == current || s.ledger.expired(a) {
			continue
		}
		q, err := s.ledger.asked(a.Decision)
		if err != nil {
			return err
		}
		q.instead = &instead{token: a.Token, because: "the rules have changed: ",
			end: func(tx *journal.Tx, a *Approval) error { return move(tx, a, Superseded) }}
		var over *StateError
		if _, err := s.decideInstead(ctx, q); err != nil && !errors.As(err, &over) { // somebody has answered meanwhile
			return err
		}
	}
	return nil
}

// postpone keeps an answered approval that could not be acted on for want of space.
func (s *mainSessions) postpone(a *Approval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.postponed = append(s.postponed, a)
}

// takeUpPostponed goes on with the answered approvals for which there is space now.
func (s *mainSessions) takeUpPostponed() {
	if s.j.Room() != nil {
		return
	}
	s.mu.Lock()
	list := s.postponed
	s.postponed = nil
	s.mu.Unlock()
	for _, a := range list {
		s.resumeLater(a)
	}
}

// Approve records that a person said yes. It fills one place in every open slot
// whose class the person belongs to; when all slots are filled the approval is a
// grant, and the engine goes on with what it runs itself, in the background.
// The requester cannot approve for itself.
func (s *mainSessions) Approve(ctx context.Context, token string, who Approver) error {
	a, err := s.ledger.answer(ctx, token, func(tx *journal.Tx, a *Approval) error {
		if a.State != Pending {
			return &StateError{a.Token, a.State}
		}
		if err := s.ledger.fill(a, who); err != nil {
			return err
		}
		return saveYes(tx, a)
	})
	if err != nil || a.State != Approved {
		return err
	}
	s.resumeLater(a)
	return nil
}

// Deny records a person's no. One no ends the approval, and the reason reaches
// the model and the user.
func (s *mainSessions) Deny(ctx context.Context, token string, who Approver, why string) error {
	a, err := s.ledger.answer(ctx, token, func(tx *journal.Tx, a *Approval) error {
		if a.State != Pending {
			return &StateError{a.Token, a.State}
		}
		if err := s.ledger.mayAnswer(a, who); err != nil {
			return err
		}
		a.By, a.Why = who.Name, why
		return move(tx, a, Denied)
	})
	if err == nil {
		s.resumeLater(a)
	}
	return err
}
