package runmodel

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const never = time.Duration(1<<63 - 1)

// check is the check of one run.
type check struct {
	run
	calls   []*Call
	by      map[Do]map[string][]*Call
	places  map[string]*node  // by ticket, of answers to writes
	read    map[string]string // by ticket of a read, the ticket that was read
	begun   []time.Duration   // of each entry: the first call that may have caused it
	known   []time.Duration   // of each entry: the first answer that tells it; or never
	entered map[*Call]bool
	wrong   []string
}

func (c *check) fault(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// Check looks for a place for each call of one run in the order in which the record entered the
// writes. It returns what cannot be explained.
func Check(flow Flow, entries []Entry, calls []*Call) []string {
	c := &check{run: run{flow: flow}, calls: calls, by: map[Do]map[string][]*Call{}, places: map[string]*node{},
		read: map[string]string{}, entered: map[*Call]bool{}}
	for _, x := range calls {
		if c.by[x.Do] == nil {
			c.by[x.Do] = map[string][]*Call{}
		}
		c.by[x.Do][x.ticket()] = append(c.by[x.Do][x.ticket()], x)
	}
	c.fresh()
	var latest time.Duration
	for i, e := range entries {
		if !c.enter(i, e) {
			return c.wrong // what follows from it says nothing more
		}
		latest = max(latest, c.begun[i])
		if c.known[i] < latest {
			c.fault("entry %d, %s %s, was answered before an earlier one was begun", i, e.Do, e.Ticket)
		}
	}
	if len(entries) == 0 {
		c.fault("nothing was entered")
		return c.wrong
	}
	for _, x := range calls {
		c.excused(x)
	}
	c.reads()
	return c.wrong
}

// fresh sees that no two reads are given the same ticket.
func (c *check) fresh() {
	for _, x := range c.calls {
		if x.Do != Read || x.Code != "" {
			continue
		}
		if t := Ticket(x.Text); t != "" {
			if c.read[t] != "" || t == x.Ticket {
				c.fault("the ticket %s of a read is not fresh", t)
			}
			c.read[t] = x.Ticket
		}
	}
}

// placeOf finds the place that a ticket is for.
func (c *check) placeOf(ticket string) *node {
	for range len(c.read) + 1 {
		if n := c.places[ticket]; n != nil {
			return n
		}
		ticket = c.read[ticket]
	}
	return nil
}

// enter explains one entry.
func (c *check) enter(i int, e Entry) bool {
	all := c.by[e.Do][e.Ticket]
	cause := slices.IndexFunc(all, func(x *Call) bool { return c.caused(e, x) })
	if cause < 0 {
		c.fault("entry %d, %s %s: %d calls have the ticket, and none handed in what the record has: %q, topic %q", i, e.Do,
			e.Ticket, len(all), e.Notes, e.Topic)
		return false
	}
	begun, known, first := never, never, ""
	for _, x := range all {
		if c.entered[x] {
			c.fault("entry %d: %s %s has a second outcome", i, e.Do, e.Ticket)
			return false
		}
		c.entered[x] = true
		begun = min(begun, x.Begin)
		if x.Code != "" {
			continue
		}
		known = min(known, x.End)
		if first == "" {
			first = x.Text
		}
		if x.Text != first {
			c.fault("entry %d: a repeat of %s %s is answered %s, and was %s", i, e.Do, e.Ticket, x.Text, first)
			return false
		}
	}
	c.begun, c.known = append(c.begun, begun), append(c.known, known)
	return c.apply(i, e, all[cause], first)
}

// caused reports whether a call may have made an entry.
func (c *check) caused(e Entry, x *Call) bool {
	if x.Code == locked || x.Code == refused {
		return false
	}
	return e.Do == Mark ||
		strings.TrimSpace(e.Notes) == strings.TrimSpace(x.Notes) && e.Topic == changed(c.topic(), x.Topic)
}

// apply carries out an entry, and compares its answer.
func (c *check) apply(i int, e Entry, x *Call, text string) bool {
	var n *node
	var cause string
	at, before := c.placeOf(e.Ticket), 0
	if i > 0 {
		before = c.gaps[i-1]
	}
	switch {
	case e.Do == Start && i == 0:
		n = c.start(x.Topic)
	case e.Do == Start || i == 0 || at == nil:
		c.fault("entry %d: %s %s is at no place of the run", i, e.Do, e.Ticket)
		return false
	case e.Do == Mark:
		cause = "checkpoint_created"
		n = c.checkpoint(at)
	default:
		cause = "intentional_fork"
		if c.ways(at, i-1) > 0 {
			cause = "non_tip_advance"
		}
		if at.ended || at.step == len(c.flow.Steps) {
			c.fault("entry %d: nothing goes on from %s", i, e.Ticket)
		}
		n = c.advance(at, e.Notes, x.Topic)
	}
	if e.Cause != cause {
		c.fault("entry %d: %s %s is of cause %q, want %q", i, e.Do, e.Ticket, e.Cause, cause)
	}
	if got := c.gaps[i] - before; e.Gaps != got {
		c.fault("entry %d: %s %s records %d critical gaps, want %d", i, e.Do, e.Ticket, e.Gaps, got)
	}
	if text == "" { // it was entered, and no client heard of it
		return true
	}
	a, shown := answerOf(text), n
	if e.Do == Mark {
		shown = at
	}
	if why := c.explain(a, shown, i, e.Do == Mark); why != "" {
		c.fault("entry %d: %s %s: %s: %s", i, e.Do, e.Ticket, why, text)
	}
	t := Ticket(text)
	switch {
	case e.Do == Mark && t != e.Ticket:
		c.fault("entry %d: the checkpoint of %s gives the ticket %s", i, e.Ticket, t)
	case e.Do == Mark || t == "":
	case c.places[t] != nil || c.read[t] != "":
		c.fault("entry %d: the ticket %s is another place's too", i, t)
	default:
		c.places[t] = n
	}
	return true
}

// explain says what is wrong with an answer about a place as of an entry. whole says that the
// prompt of a step that is blocked is in it too.
func (c *check) explain(a Answer, n *node, asOf int, whole bool) string {
	kind, token := "ok", a.Continue
	var codes []string
	for _, b := range a.Blockers {
		codes = append(codes, b.Code)
	}
	complete := n.step == len(c.flow.Steps)
	if n.blocked != nil {
		if kind = "blocked"; !n.ended {
			token = a.Retry
		}
	}
	switch {
	case a.Kind != kind || !slices.Equal(codes, n.blocked):
		return fmt.Sprintf("it is %s by %v, want %s by %v", a.Kind, codes, kind, n.blocked)
	case a.Complete != complete || (a.Pending == nil) != complete:
		return fmt.Sprintf("complete: %t, want %t", a.Complete, complete)
	case (token == "") != complete || token != a.Continue+a.Retry:
		return "it has another ticket than its kind has"
	case complete:
		return ""
	case a.Pending.StepID != c.flow.Steps[n.step].ID:
		return fmt.Sprintf("it shows step %s, want %s", a.Pending.StepID, c.flow.Steps[n.step].ID)
	}
	if want := c.text(n.step, c.topics[asOf]); (whole || n.blocked == nil) && !strings.Contains(a.Pending.Prompt, want) {
		return fmt.Sprintf("its prompt is %q, want %q", a.Pending.Prompt, want)
	}
	return ""
}
