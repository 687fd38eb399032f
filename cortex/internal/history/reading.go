package history

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// entered is one thing that entered a session: a message, or what a call returned.
type entered struct {
	seq     uint64       // the record that says so
	call    *skills.Call // with its result; nil for a message
	turn    int32        // its place in turns
	unnamed bool
}

func (l *SessionLog) entry(e *entered) skills.Entry {
	t := skills.Turn{Call: e.call}
	if e.call == nil {
		t = l.turns[e.turn].said()
	}
	return skills.Entry{Ref: e.seq, Unnamed: e.unnamed, Turn: t}
}

// reading is what a gate made of a session, as far as it has read.
type reading struct {
	skills.Reading
	by   string // the name of its reader
	next int    // of what entered the session, the first that it has not read
}

// readings keeps the reading of a session between decisions.
type readings struct {
	idle  reading // the zero reading while a decision has it
	bytes int     // that were counted for it
}

// Reading implements [skills.History]. A decision has its reading alone: of two
// decisions that are made in a session at once, the second makes one of its own.
func (r *Recall) Reading(by skills.Reader) (skills.Reading, error) {
	if r.now.Reading != nil && r.now.by == by.Name {
		return r.now.Reading, nil
	}
	if r.Own {
		r.now = reading{Reading: skills.ReadAll(by, &r.Session), by: by.Name}
		return r.now.Reading, nil
	}
	err := r.look(func(l *SessionLog) { r.now = l.read(by, &r.Session, r.AsOf, r.First) })
	return r.now.Reading, err
}

// read returns a reading of the session as it stood after record asOf, without the call
// that decision except allowed. It goes on with the one that is kept, if that has read
// no further.
func (l *SessionLog) read(by skills.Reader, s *skills.Session, asOf, except uint64) reading {
	r := l.idle
	if r.Reading == nil || r.by != by.Name || except != 0 || r.next > 0 && l.entered[r.next-1].seq > asOf {
		r = reading{Reading: by.Blank(s), by: by.Name}
	} else {
		l.idle = reading{}
	}
	for ; r.next < len(l.entered) && l.entered[r.next].seq <= asOf; r.next++ {
		if e := &l.entered[r.next]; except == 0 || l.turns[e.turn].seq != except {
			r.Enter(l.entry(e))
		}
	}
	return r
}

// giveBack keeps the reading of a decision for the next one.
func (r *Recall) giveBack() {
	l, ok := r.kept.What.(*SessionLog)
	if !ok || r.Own || r.First != 0 || r.now.Reading == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle, r.now = r.now, reading{}
	if n := l.idle.Bytes(); n > l.bytes {
		r.kept.Grow(n - l.bytes)
		l.bytes = n
	}
}

// Whole implements [skills.History]. A call that may have run, and whose result is not
// on record, may have shown the model something.
func (r *Recall) Whole() (whole bool, err error) {
	if r.Own {
		return !r.Session.Partial, nil
	}
	err = r.look(func(l *SessionLog) { whole = l.whole(r.AsOf, r.First) })
	return whole && !r.Session.Partial, err
}

// awaited are the calls of a session whose results are not known, or were not for a while;
// see [Item.Open].
type awaited struct {
	waits []wait
	came  []wait // those that came
}

type wait struct {
	seq    uint64       // of the decision
	digest sexpr.Digest // of its action
	until  uint64       // the receipt for it, or for the same action
}

// answered notes that record seq is the receipt of a call.
func (l *SessionLog) answered(t *logTurn, seq uint64) {
	i := slices.IndexFunc(l.waits, func(w wait) bool { return w.seq == t.seq })
	if i < 0 {
		return
	}
	digest := l.waits[i].digest
	l.waits = slices.DeleteFunc(l.waits, func(w wait) bool {
		same := w.seq <= t.seq && w.digest == digest
		if same {
			w.until = seq
			l.came = append(l.came, w)
		}
		return same
	})
}

// whole reports whether the session held every result after record asOf, the call that
// decision except allowed aside.
func (a *awaited) whole(asOf, except uint64) bool {
	missing := func(w wait) bool { return w.seq <= asOf && w.seq != except && (w.until == 0 || w.until > asOf) }
	return !slices.ContainsFunc(a.waits, missing) && !slices.ContainsFunc(a.came, missing)
}
