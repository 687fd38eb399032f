package history

import (
	"errors"
	"math"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/skills"
)

// Recall is history as of a sequence number, looked up when a rule asks.
type Recall struct {
	H       *History
	Session skills.Session
	Own     bool // the caller supplied the turns
	AsOf    uint64
	Retry   uint64 // an intent that does not count, and ...
	First   uint64 // ... the decision that it rests on

	most  int                  // bytes that the history may take, together with ...
	more  int                  // ... the action; both are 0 for work that has begun already
	Full  *admission.BusyError // set if the history takes more, or memory has no room for it
	keeps bool                 // looked-up history stays in memory until release
	kept  *admission.Memo      // the history that stays, or nil
	now   reading              // of the session, while the decision is made
}

// Bound limits the memory of look-ups for new work on an action. An approved action gets
// some more room, so that it can be finished.
func (r *Recall) Bound(a *skills.Action, approved bool) {
	r.most, r.more = r.H.Caps.SessionMemory, admission.BytesOfAction(a)
	if approved {
		r.most = r.H.Caps.ToFinish()
	}
}

// Keep makes looked-up history stay in memory until release is called.
func (r *Recall) Keep() (release func()) {
	r.keeps = true
	return func() {
		if r.kept != nil {
			r.giveBack()
			r.kept.Done()
		}
	}
}

// Turns implements [skills.History].
func (r *Recall) Turns() (turns []skills.Turn, err error) {
	if r.Own {
		return r.Session.Turns, nil
	}
	err = r.look(func(l *SessionLog) { turns = l.heard(r.H, r.AsOf, math.MaxUint64, r.First) })
	return turns, err
}

// Calls implements [skills.History].
func (r *Recall) Calls(tool string, since int64, most int) (calls []*skills.Call, err error) {
	if r.Own {
		return skills.CallsOf(r.Session.Turns, tool, since, most), nil
	}
	err = r.look(func(l *SessionLog) { calls = l.calls(r.H, tool, since, most, r.AsOf, r.First) })
	return calls, err
}

// look returns an error if memory has no room for the session's log; else it calls f with it.
func (r *Recall) look(f func(*SessionLog)) error {
	if r.most > 0 {
		if err := r.H.Room(r.Session.ID, r.more, r.most); err != nil {
			return r.refused(err)
		}
	}
	x, err := r.H.look(r.Session.ID, r.AsOf, r.most > 0, f)
	if err != nil {
		return r.refused(err)
	}
	if r.keeps && r.kept == nil {
		r.kept = x
	} else {
		x.Done()
	}
	return nil
}

// refused returns err, and keeps it in Full if it is a BusyError, because a gate may not
// pass the error on.
func (r *Recall) refused(err error) error {
	errors.As(err, &r.Full)
	return err
}

// Spends implements [skills.History].
func (r *Recall) Spends() ([]skills.Spend, error) {
	return r.H.Spends(r.Session, r.AsOf, r.Retry)
}

// Spent implements [skills.History].
func (r *Recall) Spent(of skills.Sum) (float64, error) {
	if r.Retry == 0 {
		if sum, ok, err := r.H.Sum(r.Session, of, r.AsOf); ok || err != nil {
			return sum, err
		}
	}
	spends, err := r.Spends()
	return of.Of(r.Session, spends), err
}
