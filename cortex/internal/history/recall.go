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

	most  int                  // how many bytes the history may take, with ...
	more  int                  // ... what is asked about; both are 0 for what goes on with something
	Full  *admission.BusyError // it takes more, or memory lacks the room for it
	keeps bool                 // what was looked up stays in memory until release
	kept  *admission.Memo      // that, or nil
}

// Bound bounds what is looked up for new work on an action. One that people have
// approved is not new, and has some room of its own, but not for being asked about
// again and again.
func (r *Recall) Bound(a *skills.Action, approved bool) {
	r.most, r.more = r.H.Caps.SessionMemory, admission.BytesOfAction(a)
	if approved {
		r.most = r.H.Caps.ToFinish()
	}
}

// Keep has what is looked up stay in memory until release is called.
func (r *Recall) Keep() (release func()) {
	r.keeps = true
	return func() {
		if r.kept != nil {
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

// look shows f the session, if there is room for it.
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

// refused notes that memory lacks the room for the history, whether or not a gate passes
// the error on.
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
