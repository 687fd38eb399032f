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

func (r *recall) Turns() ([]skills.Turn, error) {
	if r.own {
		return r.session.Turns, nil
	}
	session := r.session.ID
	if r.most > 0 {
		if err := r.e.roomInSession(session, r.more, r.most); err != nil {
			return nil, r.refused(err)
		}
	}
	turns, x, err := r.e.history.held(session, r.asOf, math.MaxUint64, r.first, r.most > 0)
	if err != nil {
		return nil, r.refused(err)
	}
	if r.keeps && r.kept == nil {
		r.kept = x
	} else {
		x.done()
	}
	return turns, nil
}

// refused notes that there is no room for the history, whatever a gate makes of
// the error.
func (r *recall) refused(err error) error {
	errors.As(err, &r.full)
	return err
}

func (r *recall) Spends() ([]skills.Spend, error) {
	return r.e.history.spends(r.session, r.asOf, r.retry)
}
