package history

import (
	"sort"

	"github.com/opencortex-go/cortex/skills"
)

// account holds what was taken from one budget: the spendLog's entries for that budget,
// and the sums after each change. Each sum equals, to the last bit, the result of adding
// the amounts one by one in the order of the record. So a decision and its replay agree,
// whatever was asked before.
type account struct {
	entries []int32 // by their places in the log
	steps   []accountStep
	undone  int // the number of steps up to the last refund

	// last caches the newest sum that is in no step.
	last struct {
		step  int
		jumps int
		since int64
		sum   float64
		known bool
	}
}

// accountStep holds the sums after one record.
type accountStep struct {
	seq   uint64
	jumps int // how often the clock had been moved
	start [2]int64
	sums  [2]float64 // since start: by the periods
	all   float64    // since the session began
}

// periods are the lengths, in seconds, for which steps keep running sums.
var periods = [2]int64{3600, 86400}

// add counts the newest entry. Entries up to record end belong to an ended session.
func (t *account) add(h *History, spends []LogSpend, end uint64) {
	i := len(spends) - 1
	x := &spends[i]
	prior := accountStep{}
	if n := len(t.steps); n > 0 {
		prior = t.steps[n-1]
	}
	s := accountStep{seq: x.Seq, jumps: h.jumps.count(x.Seq), all: prior.all}
	for p, length := range periods {
		s.start[p] = skills.PeriodStart(x.At, length)
		if len(t.steps) > 0 && prior.start[p] == s.start[p] && prior.jumps == s.jumps {
			s.sums[p] = prior.sums[p]
		} else {
			s.sums[p] = t.fold(h, spends, s.start[p], x.Seq)
		}
		s.sums[p] += x.Counted()
	}
	if x.Seq > end {
		s.all += x.Counted()
	}
	t.entries, t.steps = append(t.entries, int32(i)), append(t.steps, s)
}

// undo stops counting entry i, because record seq says that it took nothing.
func (t *account) undo(h *History, spends []LogSpend, end uint64, i int, seq uint64) {
	at := sort.Search(len(t.entries), func(k int) bool { return int(t.entries[k]) >= i })
	before := sort.Search(len(t.steps), func(k int) bool { return t.steps[k].seq >= spends[i].Seq }) - 1
	from := accountStep{} // as it stood before entry i, if nothing was given back since
	whole := before < t.undone-1
	if !whole && before >= 0 {
		from = t.steps[before]
	}
	if whole {
		at = 0
	}
	now := t.steps[len(t.steps)-1]
	s := accountStep{seq: seq, jumps: h.jumps.count(seq), start: now.start, all: from.all}
	for _, k := range t.entries[at:] {
		if x := &spends[k]; x.Seq > end && x.counts(seq) {
			s.all += x.Counted()
		}
	}
	for p := range periods {
		if whole || before < 0 || from.start[p] != s.start[p] || from.jumps != s.jumps {
			s.sums[p] = t.fold(h, spends, s.start[p], seq)
			continue
		}
		s.sums[p] = from.sums[p]
		for _, k := range t.entries[at:] {
			if x := &spends[k]; x.counts(seq) && x.since(h, s.start[p], seq) {
				s.sums[p] += x.Counted()
			}
		}
	}
	t.steps = append(t.steps, s)
	t.undone = len(t.steps)
}

// since reports whether the amount was spent at start or later, as of record asOf. A
// spend without a time counts as late enough.
func (x *LogSpend) since(h *History, start int64, asOf uint64) bool {
	at := x.atAs(h, asOf)
	return at == 0 || at >= start
}

// fold adds up, one by one, the amounts taken since start, as of record asOf.
func (t *account) fold(h *History, spends []LogSpend, start int64, asOf uint64) (sum float64) {
	first := 0
	if reach := h.reach(start, asOf); reach != anytime {
		first = sort.Search(len(t.entries), func(k int) bool { return spends[t.entries[k]].latest >= reach })
	}
	for _, k := range t.entries[first:] {
		if x := &spends[k]; x.Seq > asOf {
			break
		} else if x.counts(asOf) && x.since(h, start, asOf) {
			sum += x.Counted()
		}
	}
	return sum
}

// after returns the number of steps up to record asOf.
func (t *account) after(asOf uint64) int {
	if n := len(t.steps); n == 0 || t.steps[n-1].seq <= asOf {
		return n
	}
	return sort.Search(len(t.steps), func(k int) bool { return t.steps[k].seq > asOf })
}

// all returns what was taken in the session up to record asOf, 0 for a nil account.
func (t *account) all(asOf uint64) float64 {
	if t == nil || t.after(asOf) == 0 {
		return 0
	}
	return t.steps[t.after(asOf)-1].all
}

// since returns what was taken since start, as of record asOf, 0 for a nil account.
func (t *account) since(h *History, spends []LogSpend, start int64, asOf uint64) float64 {
	if t == nil {
		return 0
	}
	n := t.after(asOf)
	if n == 0 {
		return 0
	}
	s, jumps := &t.steps[n-1], h.jumps.count(asOf)
	for p := range periods {
		if s.start[p] == start && s.jumps == jumps {
			return s.sums[p]
		}
	}
	if l := &t.last; !l.known || l.step != n || l.jumps != jumps || l.since != start {
		l.step, l.jumps, l.since, l.known = n, jumps, start, true
		l.sum = t.fold(h, spends, start, asOf)
	}
	return t.last.sum
}
