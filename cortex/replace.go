package cortex

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// instead is a card that a decision takes the place of: the rules have changed, or
// a person has put other arguments into it. That the card ends, the decision, and
// what stands in the card's place are one write, so that a crash leaves the old
// card or the new state of things, and never neither.
type instead struct {
	token   string
	end     func(*journal.Tx, *Approval) error // ends the card, or says why it cannot be ended
	by      *Approver                          // whose yes counts on the new card; nil for nobody's
	because string                             // what has changed, for the model, where the action is refused now

	then   *Approval // what the engine goes on with, once all is on record; nil for nothing
	refuse error     // why the yes did not count on the new card, which waits for others then
}

// replace records a decision by record, and with it what becomes of the card that
// it takes the place of, if there is one.
func (l *mainLedger) replace(tx *journal.Tx, d *Decision, q question, record func(question) error) error {
	in := q.instead
	if in == nil {
		return record(q)
	}
	in.then, in.refuse = nil, nil // it may be decided again
	old, err := loadApproval(tx, in.token)
	if err != nil {
		return err
	}
	if l.expired(old) {
		return &StateError{old.Token, Expired}
	}
	if err := in.end(tx, old); err != nil {
		return err
	}
	q.joined = old.Joined
	if err := record(q); err != nil {
		return err
	}
	if d.Kind == reason.Ask {
		return in.agree(l, tx, d.Approval)
	}
	in.then = in.follow(old, d)
	reopen(tx, in.then)
	return nil
}

// agree counts a person's yes on the card that stands in the old one's place.
func (in *instead) agree(l *mainLedger, tx *journal.Tx, token string) error {
	if in.by == nil || token == "" {
		return nil
	}
	fresh, err := loadApproval(tx, token)
	if err != nil {
		return err
	}
	if fresh.State != Pending {
		in.refuse = &StateError{fresh.Token, fresh.State}
		return nil
	}
	if in.refuse = l.fill(fresh, *in.by); in.refuse != nil {
		return nil
	}
	if err := saveYes(tx, fresh); err != nil {
		return err
	}
	if fresh.State == Approved {
		in.then = fresh
	}
	return nil
}

// follow is what the engine goes on with where nobody need be asked any more.
func (in *instead) follow(old *Approval, d *Decision) *Approval {
	then := &Approval{Token: old.Token, Action: old.Action, Resume: old.Resume, Decision: d.ID, Session: old.Session,
		Root: old.Root, Depth: old.Depth, Joined: old.Joined}
	if d.Kind == reason.Allow {
		then.State = Approved
		return then
	}
	then.State, then.Why = Denied, in.because+d.Reasons[0].Text
	return then
}

// decideInstead decides and goes on with what came of it.
func (s *mainSessions) decideInstead(ctx context.Context, q question) (*Decision, error) {
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
func (s *mainSessions) Edit(ctx context.Context, token string, who Approver, args sexpr.Value) (*Decision, error) {
	if err := s.ledger.usable(); err != nil {
		return nil, err
	}
	card, err := s.ledger.Approval(ctx, token)
	if err != nil {
		return nil, err
	}
	edited, err := NewAction(card.Action.Tool(), args, card.Action.Explanation())
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
