package cortex

import (
	"errors"
	"math"
	"slices"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// recall is history as of a sequence number, looked up when a rule asks.
type recall struct {
	e       *Engine
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

func recallFor(e *Engine, s skills.Session, q *question, asOf uint64) *recall {
	return &recall{e: e, session: s, own: q.own, asOf: asOf, retry: q.retry, first: q.first}
}

// keep has what is looked up stay in memory until release is called, and bounds
// it for new work. An action that people have approved is not new, and has some
// room of its own, but not for being asked about again and again.
func (r *recall) keep(q question, grants []reason.Grant) (release func()) {
	r.keeps = true
	if q.isNew {
		r.most, r.more = r.e.opt.Caps.SessionMemory, bytesOfAction(q.action)
		digest := q.action.Digest()
		if slices.ContainsFunc(grants, func(g reason.Grant) bool { return g.Digest == digest }) {
			r.most = r.e.opt.Caps.toFinish()
		}
	}
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
	err = r.look(func(l *sessionLog) { turns = l.heard(r.e.history, r.asOf, math.MaxUint64, r.first) })
	return turns, err
}

// Calls implements [skills.History].
func (r *recall) Calls(tool string, since int64, most int) (calls []*skills.Call, err error) {
	if r.own {
		return skills.CallsOf(r.session.Turns, tool, since, most), nil
	}
	err = r.look(func(l *sessionLog) { calls = l.calls(r.e.history, tool, since, most, r.asOf, r.first) })
	return calls, err
}

// look shows f the session, if there is room for it.
func (r *recall) look(f func(*sessionLog)) error {
	if r.most > 0 {
		if err := r.e.roomInSession(r.session.ID, r.more, r.most); err != nil {
			return r.refused(err)
		}
	}
	x, err := r.e.history.look(r.session.ID, r.asOf, r.most > 0, f)
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
	return r.e.history.spends(r.session, r.asOf, r.retry)
}

// Spent implements [skills.History].
func (r *recall) Spent(of skills.Sum) (float64, error) {
	if r.retry == 0 {
		if sum, ok, err := r.e.history.sum(r.session, of, r.asOf); ok || err != nil {
			return sum, err
		}
	}
	spends, err := r.Spends()
	return of.Of(r.session, spends), err
}
