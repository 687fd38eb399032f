package drive

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// todo is what may be done about a try.
type todo int

const (
	nothing todo = iota // it stands as it does
	decide              // it is decided, the first time or again
	begin               // it is allowed, and not begun
	settle              // it was begun, and cannot have changed anything
)

// stands reads how a try stands, and what may be done about it.
func (k *Keeper) stands(s record.Step) (Taken, todo, error) {
	t, err := record.TriedAt(k.ledger.J, s)
	if err != nil || t.Decision == 0 {
		return Taken{State: StepNone}, decide, err
	}
	out := Taken{Decision: t.Decision, Intent: t.Intent}
	if t.Intent != 0 {
		return k.begun(t, out)
	}
	rec, err := k.ledger.J.Read(t.Decision)
	if errors.Is(err, journal.ErrNotFound) {
		return lost(out), nothing, nil
	}
	if err != nil {
		return out, nothing, err
	}
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return out, nothing, err
	}
	switch d.Kind {
	case reason.Allow:
		out.State = StepLater
		return out, begin, nil
	case reason.Ask:
		return k.asked(s.Root, t, d, out)
	}
	out.State, out.Key, out.Retryable = StepDenied, d.Key, d.Retry
	if len(d.Reasons) > 0 {
		out.Reason = d.Reasons[0].Text
	}
	if passing(d.Key) {
		out.State = StepLater
		return out, decide, nil
	}
	return out, nothing, nil
}

// passing reports whether a decision is denied for what passes by itself: it says nothing about the
// action.
func passing(key string) bool {
	return slices.Contains([]string{ledger.KeyKill, ledger.KeyReadOnly, ledger.KeyBusy, ledger.KeyStale}, key) ||
		strings.HasPrefix(key, "gate/") && strings.HasSuffix(key, "/failed")
}

// begun says how a try with an intent stands.
func (k *Keeper) begun(t record.Tried, out Taken) (Taken, todo, error) {
	if t.Receipt != 0 {
		rec, err := k.ledger.J.Read(t.Receipt)
		if errors.Is(err, journal.ErrNotFound) {
			return lost(out), nothing, nil
		}
		if err != nil {
			return out, nothing, err
		}
		rc := record.ReceiptFrom(rec.Body)
		out.Receipt, out.Result = t.Receipt, rc.Receipt
		switch {
		case rc.State == act.Done:
			out.State = StepDone
		case rc.State == act.Unknown:
			out.State, out.Reason = StepInDoubt, rc.Error
			out.Result.Error = cmp.Or(rc.Error, "nothing is known of its outcome")
			harmless, err := k.ledger.Harmless(t.Intent)
			if err == nil && harmless { // no person has to say: nothing has changed
				return out, settle, nil
			}
			return out, nothing, err
		case rc.State == act.Nothing && rc.By == ledger.Itself: // see SettleHarmless
			return out, decide, nil
		default:
			out.State, out.Reason = StepFailed, out.Result.Error
		}
		return out, nothing, nil
	}
	out.State, out.Reason = StepInDoubt, "whether it happened is not known, and an operator has to say"
	harmless, err := k.ledger.Harmless(t.Intent)
	if errors.Is(err, journal.ErrNotFound) {
		return lost(out), nothing, nil
	}
	if err == nil && harmless && !k.dispatcher.Busy(t.Intent) {
		return out, settle, nil
	}
	return out, nothing, err
}

// lost is how a try stands whose records a repair has gone on without.
func lost(out Taken) Taken {
	out.State, out.Reason = StepInDoubt, "a part of the record was lost: a person has to see what happened, and try anew"
	return out
}

// asked says how a try stands whose decision asks people.
func (k *Keeper) asked(root uint64, t record.Tried, d *record.Decision, out Taken) (Taken, todo, error) {
	if t.Approval == "" { // a repair has gone on without its card
		return out, decide, nil
	}
	a, err := approval.Load(k.ledger.J, t.Approval)
	if err != nil {
		return out, nothing, err
	}
	if a.State == approval.Superseded { // by another decision's card, which this waits for too
		now, err := k.ledger.CardFor(a)
		if err != nil {
			return out, nothing, err
		}
		if now == nil || !now.Waits(root) {
			return out, decide, nil
		}
		a = now
	}
	mine, late := a.Owner() == root, k.ledger.Expired(a)
	switch {
	case a.State == approval.Pending && !late, a.State == approval.Approved && !late && !mine:
		out.State, out.Approval, out.Reason = StepAsked, a.Token, d.Reasons[0].Text
		return out, nothing, nil
	case !mine, a.State == approval.Approved && !late, a.State == approval.Consumed, a.State == approval.Superseded:
		return out, decide, nil
	}
	out.State, out.Key, out.Reason, out.Retryable = StepDenied, KeyExpired, "no person has answered in time", true
	switch a.State {
	case approval.Denied:
		out.Key, out.Reason, out.Retryable = KeyRefused, a.Why, false
	case approval.Withdrawn:
		out.Key, out.Reason = KeyWithdrawn, "the question was withdrawn"
	}
	return out, nothing, nil
}
