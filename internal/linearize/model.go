package linearize

import (
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// models are the objects as sequential machines.
var models = []porcupine.Model{Card: model(card{state: "pending"}), Permit: model(permit("none")), Key: model(dedupe{}),
	Plan: model(plan{card: card{state: "pending"}})}

// machine is an object in one state. step says which states may follow when an
// operation is answered as out says; none if it cannot be.
type machine interface {
	step(in In, out Out) []machine
}

func model(init machine) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{init} },
		Step: func(state, in, out any) (all []any) {
			for _, next := range state.(machine).step(in.(In), out.(Out)) {
				all = append(all, next)
			}
			return all
		},
	}
	return m.ToModel()
}

// one is the only state that may follow, if any.
func one(m machine, can bool) []machine {
	if !can {
		return nil
	}
	return []machine{m}
}

// card is an approval.
type card struct {
	state string
	by    string // who has approved, in order
	over  bool   // it has expired, perhaps not yet noticed
}

func (c card) open() bool { return c.state == "pending" || c.state == "approved" }

// step: what is refused leaves a card as it is, but for one whose time is over:
// anyone who touches it marks it. What was not answered happened if it could; that it
// did not is the same as that it comes last.
func (c card) step(in In, out Out) []machine {
	switch in.Do {
	case Expire:
		c.over = c.over || c.open()
		return one(c, true)
	case Read:
		return one(c.read(out))
	case Sweep:
		if out.How != Unknown {
			c = c.mark()
		}
		return one(c, true)
	}
	next, can := c.could(in)
	late := c.over && in.early // it may have been refused as well
	switch {
	case out.How == Refused && in.Do == Consume: // it looks at grants, and touches no card
		all := one(c, !can || late)
		if in.early && c.open() { // after a clock jump people are asked again: the age of a yes is unknown
			c.state, c.over = "superseded", false
			all = append(all, c)
		}
		return all
	case out.How == Refused:
		return one(c.mark(), !can || late)
	case can:
		return one(next, true)
	}
	return one(c, out.How == Unknown)
}

// mark notes that the time of a card is over.
func (c card) mark() card {
	if c.over {
		c.state, c.over = "expired", false
	}
	return c
}

// could returns what becomes of the card if an operation succeeds.
func (c card) could(in In) (next card, can bool) {
	if c.over && !in.early {
		return c, false
	}
	next = c
	switch in.Do {
	case Approve:
		by := strings.Fields(c.by)
		if can = c.state == "pending" && !slices.Contains(by, in.Who); can {
			by = append(by, in.Who)
			slices.Sort(by)
			if next.by = strings.Join(by, " "); len(by) == in.Of {
				next.state = "approved"
			}
		}
	case Deny:
		next.state, can = "denied", c.state == "pending"
	case Edit:
		next.state, can = "superseded", c.state == "pending"
	case Withdraw:
		next.state, can = "withdrawn", c.open()
	case Consume:
		next.state, can = "consumed", c.state == "approved"
	}
	next.over = c.over && next.open()
	return next, can
}

// read: a card whose time is over may be read either way, until it was read as
// expired.
func (c card) read(out Out) (machine, bool) {
	if out.How != Did {
		return c, out.How == Unknown
	}
	if c.over && out.State == "expired" {
		c = c.mark()
	}
	return c, out.State == c.state && out.Filled == len(strings.Fields(c.by))
}

// permit is the use of one decision: "none", "open", "doubt" or "done".
type permit string

func (p permit) step(in In, out Out) []machine {
	var from []permit
	var to permit
	switch in.Do {
	case Restart, Expire: // a receipt that has not come by then is missing
		if p == "open" {
			return one(permit("doubt"), true)
		}
		return one(p, true)
	case Begin:
		from, to = []permit{"none"}, "open"
	case Finish:
		from, to = []permit{"open", "doubt"}, "done"
	case Wonder:
		from, to = []permit{"open", "doubt"}, "doubt"
	case Settle:
		from, to = []permit{"doubt"}, "done"
	}
	can := slices.Contains(from, p)
	switch {
	case out.How == Refused:
		return one(p, !can)
	case can:
		return one(to, true)
	}
	return one(p, out.How == Unknown)
}

// dedupe is a key: the record it stands for, 0 for none.
type dedupe struct{ signal uint64 }

// unseen is the record that a key stands for when the one who sent it got no answer.
const unseen = ^uint64(0)

func (d dedupe) step(_ In, out Out) []machine {
	switch {
	case out.How == Unknown && d.signal == 0:
		return one(dedupe{unseen}, true)
	case out.How == Unknown:
		return one(d, true)
	case d.signal == 0:
		return one(dedupe{out.Signal}, !out.Repeat)
	case d.signal == unseen:
		return one(dedupe{out.Signal}, out.Repeat)
	}
	return one(d, out.Repeat && out.Signal == d.signal)
}
