package cortex

import (
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
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
func (l *mainLedger) replace(tx *journal.Tx, d *reason.Decision, q question, record func(question) error) error {
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
func (in *instead) follow(old *Approval, d *reason.Decision) *Approval {
	then := &Approval{Token: old.Token, Action: old.Action, Resume: old.Resume, Decision: d.ID, Session: old.Session,
		Root: old.Root, Depth: old.Depth, Joined: old.Joined}
	if d.Kind == reason.Allow {
		then.State = Approved
		return then
	}
	then.State, then.Why = Denied, in.because+d.Reasons[0].Text
	return then
}
