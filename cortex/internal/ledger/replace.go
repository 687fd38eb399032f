package ledger

import (
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// Replacement is a card that a decision replaces, because the rules have changed or a person
// has put in other arguments. The end of the card, the decision and its new card are one
// write: after a crash there is either the old card or the new state.
type Replacement struct {
	Token   string
	End     func(*journal.Tx, *approval.Approval) error // ends the card, or says why it cannot be ended
	By      *approval.Approver                          // whose yes counts on the new card; nil for none
	Because string                                      // what has changed, for the model, where the action is refused now

	Then   *approval.Approval // what the engine goes on with, once all is on record; nil for nothing
	Refuse error              // why the yes did not count on the new card, which waits for others then

	joined  []approval.Joined // who else waits for the card, and so for the new one
	crowded bool              // the record had no room for a new card
}

// replace records a decision by record, and with it what becomes of the card that
// it takes the place of; a nil Replacement is none.
func (l *Ledger) replace(tx *journal.Tx, d *record.Decision, in *Replacement, record func() error) error {
	if in == nil {
		return record()
	}
	in.Then, in.Refuse = nil, nil // it may be decided again
	old, err := approval.Load(tx, in.Token)
	if err != nil {
		return err
	}
	if l.Expired(old) {
		return &approval.StateError{Token: old.Token, State: approval.Expired}
	}
	if err := in.End(tx, old); err != nil {
		return err
	}
	in.joined = old.Joined
	if err := record(); err != nil {
		return err
	}
	if d.Kind == reason.Ask {
		return in.agree(l, tx, d.Approval)
	}
	in.Then = in.follow(old, d)
	return approval.Reopen(tx, in.Then)
}

// agree counts a person's yes on the card that replaces the old one.
func (in *Replacement) agree(l *Ledger, tx *journal.Tx, token string) error {
	if in.By == nil || token == "" {
		return nil
	}
	fresh, err := approval.Load(tx, token)
	if err != nil {
		return err
	}
	if fresh.Planned() {
		return nil // its steps have other bytes now, and no person has seen them
	}
	if fresh.State != approval.Pending {
		in.Refuse = &approval.StateError{Token: fresh.Token, State: fresh.State}
		return nil
	}
	if in.Refuse = l.Fill(fresh, *in.By); in.Refuse != nil {
		return nil
	}
	if err := approval.SaveYes(tx, fresh); err != nil {
		return err
	}
	if fresh.State == approval.Approved {
		in.Then = fresh
	}
	return nil
}

// follow returns what the engine continues with if no person needs to be asked any more.
func (in *Replacement) follow(old *approval.Approval, d *record.Decision) *approval.Approval {
	then := &approval.Approval{Token: old.Token, Action: old.Action, Resume: old.Resume, Decision: d.ID,
		Session: old.Session,
		Root:    old.Root, Depth: old.Depth, Run: old.Run, Joined: old.Joined}
	if d.Kind == reason.Allow {
		then.State = approval.Approved
		return then
	}
	then.State, then.Why = approval.Denied, in.Because+d.Reasons[0].Text
	return then
}
