package runmodel

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The codes that a call may get without having done anything: it had too little time, or nothing
// goes on from its place.
const (
	locked  = "TOKEN_SESSION_LOCKED"
	timeout = "TIMEOUT"
	refused = "PRECONDITION_FAILED"
)

// excused sees that a call was answered from the record, or that the rules say why not.
func (c *check) excused(x *Call) {
	switch {
	case x.Do == Read || x.Do == Look:
		if x.Code != "" && !(x.Hurried && x.Code == timeout) {
			c.fault("%s %s was not answered: %s", x.Do, x.Ticket, x.Code)
		}
	case x.Code == "" && !c.entered[x]:
		c.fault("%s %s was acknowledged, and is not on record: %s", x.Do, x.ticket(), x.Text)
	case x.Code == "" || x.Hurried && (x.Code == locked || x.Code == timeout):
	case x.Code == refused && x.Do == Advance:
		if at := c.placeOf(x.Ticket); at == nil || !at.ended {
			c.fault("advance %s was refused, though its step may be tried again", x.Ticket)
		}
	default:
		c.fault("%s %s was not answered: %s", x.Do, x.ticket(), x.Code)
	}
}

// reads finds a place in the order for each read: the earliest that explains its answer, not
// before what was known when it began, and not behind what was begun when it ended. A read
// that begins when another has ended comes behind it.
func (c *check) reads() {
	var all []*Call
	for _, x := range c.calls {
		if (x.Do == Read || x.Do == Look) && x.Code == "" {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b *Call) int { return cmp.Compare(a.Begin, b.Begin) })
	ended := slices.Clone(all)
	slices.SortFunc(ended, func(a, b *Call) int { return cmp.Compare(a.End, b.End) })
	at, seen, done := map[*Call]int{}, 0, 0
	for _, x := range all {
		for ; done < len(ended) && ended[done].End < x.Begin; done++ {
			seen = max(seen, at[ended[done]])
		}
		lo, hi := c.between(x)
		i, why := max(lo, seen), "there is no room for it"
		for ; i <= hi; i++ {
			if why = c.saw(x, i); why == "" {
				break
			}
		}
		if at[x] = i; why != "" {
			c.fault("%s %s fits nowhere from entry %d to %d: %s: %s", x.Do, x.Ticket, max(lo, seen), hi, why, x.Text)
			at[x] = seen
		}
	}
}

// between is from which entry to which a read may have seen.
func (c *check) between(x *Call) (lo, hi int) {
	hi = len(c.begun) - 1
	for i := range c.begun {
		if c.known[i] < x.Begin {
			lo = i
		}
	}
	if i := slices.IndexFunc(c.begun, func(t time.Duration) bool { return t > x.End }); i >= 0 {
		hi = i - 1
	}
	return lo, hi
}

// saw says why a read cannot have seen the run as of an entry.
func (c *check) saw(x *Call, asOf int) string {
	a := answerOf(x.Text)
	if x.Do == Look {
		_, tips := c.tip(asOf)
		if want := c.status(asOf); a.Status != want || a.Tips != tips {
			return fmt.Sprintf("it is %s with %d tips, want %s with %d", a.Status, a.Tips, want, tips)
		}
		return ""
	}
	n := c.placeOf(x.Ticket)
	if n == nil || n.born > asOf {
		return "its place is not there yet"
	}
	if got, want := a.ways(), fmt.Sprint(c.ways(n, asOf)); got != want {
		return fmt.Sprintf("it tells %s ways, want %s", got, want)
	}
	if want := recap(n); !slices.Equal(a.recap(), want) {
		return fmt.Sprintf("it tells the notes %q, want %q", a.recap(), want)
	}
	return c.explain(a, n, asOf, true)
}
