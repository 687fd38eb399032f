package cortex

import (
	"errors"
	"math"

	"github.com/opencortex-go/cortex/skills"
)

// recall is history as of a sequence number, looked up when a rule asks.
type recall struct {
	h       *history
	session skills.Session
	own     bool // the caller supplied the turns
	asOf    uint64
	retry   uint64 // an intent that does not count, and ...
	first   uint64 // ... the decision that it rests on

	most  int        // how many bytes the history may take, with ...
	more  int        // ... what is asked about; both are 0 for what goes on with something
	full  *BusyError // it takes more, or there is no room for it
	keeps bool       // what was looked up stays in memory until release
	kept  *memo      // that, or nil
}

// bound bounds what is looked up for new work on an action. One that people have
// approved is not new, and has some room of its own, but not for being asked about
// again and again.
func (r *recall) bound(a *skills.Action, approved bool) {
	r.most, r.more = r.h.caps.SessionMemory, bytesOfAction(a)
	if approved {
		r.most = r.h.caps.toFinish()
	}
}

// keep has what is looked up stay in memory until release is called.
func (r *recall) keep() (release func()) {
	r.keeps = true
	return func() {
		if r.kept != nil {
			r.kept.done()
		}
	}
}

// Turns implements [skills.History].
func (r *recall) Turns() (turns []skills.Turn, err error) {
	if r.own {
		return r.session.Turns, nil
	}
	err = r.look(func(l *sessionLog) { turns = l.heard(r.h, r.asOf, math.MaxUint64, r.first) })
	return turns, err
}

// Calls implements [skills.History].
func (r *recall) Calls(tool string, since int64, most int) (calls []*skills.Call, err error) {
	if r.own {
		return skills.CallsOf(r.session.Turns, tool, since, most), nil
	}
	err = r.look(func(l *sessionLog) { calls = l.calls(r.h, tool, since, most, r.asOf, r.first) })
	return calls, err
}

// look shows f the session, if there is room for it.
func (r *recall) look(f func(*sessionLog)) error {
	if r.most > 0 {
		if err := r.h.room(r.session.ID, r.more, r.most); err != nil {
			return r.refused(err)
		}
	}
	x, err := r.h.look(r.session.ID, r.asOf, r.most > 0, f)
	if err != nil {
		return r.refused(err)
	}
	if r.keeps && r.kept == nil {
		r.kept = x
	} else {
		x.done()
	}
	return nil
}

// refused notes that there is no room for the history, whatever a gate makes of
// the error.
func (r *recall) refused(err error) error {
	errors.As(err, &r.full)
	return err
}

// Spends implements [skills.History].
func (r *recall) Spends() ([]skills.Spend, error) {
	return r.h.spends(r.session, r.asOf, r.retry)
}

// Spent implements [skills.History].
func (r *recall) Spent(of skills.Sum) (float64, error) {
	if r.retry == 0 {
		if sum, ok, err := r.h.sum(r.session, of, r.asOf); ok || err != nil {
			return sum, err
		}
	}
	spends, err := r.Spends()
	return of.Of(r.session, spends), err
}
