package judging

import "github.com/opencortex-go/cortex/skills"

// keptSession is a session as a stream has told it so far, with what rules have made of it.
type keptSession struct {
	skills.Session
	reading skills.Reading
	by      string // the name of its reader
	next    int    // the first turn that the reading has not read
}

// add puts what a line tells behind what was told before.
func (k *keptSession) add(s *skills.Session) {
	if s.System != "" {
		k.System = s.System
	}
	if s.Principal != "" {
		k.Principal = s.Principal
	}
	if s.Roles != nil {
		k.Roles = s.Roles
	}
	k.Partial = k.Partial || s.Partial
	turns := s.Turns
	if len(turns) > 0 && turns[0].IsUser() && len(k.Turns) > 0 && k.Turns[0].User == turns[0].User {
		turns = turns[1:] // the same task, told again
	}
	k.Turns = append(k.Turns, turns...)
}

// recall is a kept session as one line sees it. Lines are judged one after the other.
type recall struct {
	run    *judging
	of     *keptSession
	turns  []skills.Turn
	spends []skills.Spend
}

// Turns implements [skills.History].
func (r *recall) Turns() ([]skills.Turn, error) { return r.turns, nil }

// Spends implements [skills.History].
func (r *recall) Spends() ([]skills.Spend, error) { return r.spends, nil }

// Calls implements [skills.History].
func (r *recall) Covers(string) ([]skills.Cover, error) { return nil, nil }

// Calls implements [skills.History].
func (r *recall) Calls(tool string, since int64, most int) ([]*skills.Call, error) {
	return skills.CallsOf(r.turns, tool, since, most), nil
}

// Spent implements [skills.History].
func (r *recall) Spent(of skills.Sum) (float64, error) { return of.Of(r.of.Session, r.spends), nil }

// Whole implements [skills.History].
func (r *recall) Whole() (bool, error) { return !r.of.Partial, nil }

// Reading implements [skills.History]. Each turn is read once for all lines.
func (r *recall) Reading(by skills.Reader) (skills.Reading, error) {
	k := r.of
	r.run.by = &by
	if k.reading == nil || k.by != by.Name {
		k.reading, k.by, k.next = by.Blank(&k.Session), by.Name, 0
	}
	for ; k.next < len(k.Turns); k.next++ {
		k.reading.Enter(skills.Entry{Ref: uint64(k.next + 1), Turn: k.Turns[k.next]})
	}
	return k.reading, nil
}
