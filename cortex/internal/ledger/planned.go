package ledger

import (
	"errors"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// planned returns the yes that a person gave to a step with the plan that it belongs to, or nothing.
// It counts for the run that began with that approval, under the policy and for the requester that the
// card was for, until the card's time is over; each ask for one intent.
func (l *Ledger) planned(r records, q Question, policy sexpr.Digest) ([]reason.Grant, error) {
	a, err := l.planOf(r, q)
	if a == nil || err != nil || !l.holds(a, q, policy) {
		return nil, err
	}
	g, ok, err := a.GrantOf(q.Step().ID, func(ask sexpr.Digest) (bool, error) {
		used, err := r.Get(record.TableGiven.Key(a.Token, ask))
		return used != nil, err
	})
	if !ok || err != nil {
		return nil, err
	}
	return []reason.Grant{g}, nil
}

// planOf returns the approval that the run of a step began with, or nil.
func (l *Ledger) planOf(r records, q Question) (*approval.Approval, error) {
	step := q.Step()
	if step == (record.Step{}) {
		return nil, nil //nolint:nilnil // there is none
	}
	root, err := r.Read(step.Root)
	if err != nil {
		return nil, err
	}
	h, err := logs.OfRoot(r, root.Session, step.Root)
	if errors.Is(err, logs.ErrNoLog) || err == nil && h.Approval == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	return approval.Load(r, h.Approval)
}

// holds reports whether what people said to a plan still counts for a step of its run.
func (l *Ledger) holds(a *approval.Approval, q Question, policy sexpr.Digest) bool {
	return a.State == approval.Consumed && l.InTime(a) && a.Policy == policy && a.Session == q.Facts.Session.ID &&
		a.Requester == q.Requester
}

// give uses up what a person said to a step with its plan, for the intent of a decision.
func (l *Ledger) give(tx *journal.Tx, d *record.Decision, q Question) error {
	grants, err := l.planned(tx, q, d.Policy)
	if err != nil {
		return err
	}
	if len(grants) == 0 || grants[0].Token != d.Grant || grants[0].Digest != d.Action.Digest() {
		return ErrStale
	}
	for i := range d.Asks {
		ask := d.Asks[i].Slot.Key
		if !grants[0].Satisfies(ask) {
			return ErrStale
		}
		tx.Set(record.TableGiven.Key(d.Grant, grants[0].KeyOf(ask)), record.Number(d.ID))
	}
	return nil
}
