package linear

import (
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// models are the objects as sequential machines.
var models = []porcupine.Model{Card: model(card{state: "pending"}), Permit: model(permit("none")), Key: model(dedupe{})}

// machine is an object in one state. step says which states may follow when an
// operation is answered as out says; none if it cannot be.
type machine interface {
	step(in In, out Out) (machine, bool)
}

func model(init machine) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return init },
		Step: func(state, in, out any) (bool, any) {
			next, ok := state.(machine).step(in.(In), out.(Out))
			return ok, next
		},
	}
}

// card is an approval.
type card struct {
	state string
	by    string // who has approved, in order
	over  bool   // its time is, and perhaps nobody has noticed
}

func (c card) open() bool { return c.state == "pending" || c.state == "approved" }

// step: what is refused leaves a card as it is, but for one whose time is over:
// whoever touches it marks it. What was not answered happened if it could; that it
// did not is the same as that it comes last.
func (c card) step(in In, out Out) (machine, bool) {
	switch in.Do {
	case Expire:
		c.over = c.over || c.open()
		return c, true
	case Read:
		return c.read(out)
	case Sweep:
		if out.How != Unknown {
			c = c.mark()
		}
		return c, true
	}
	next, can := c.could(in)
	late := c.over && in.early // it may have been refused as well
	switch {
	case out.How == Refused && in.Do == Consume: // it looks at grants, and touches no card
		return c, !can || late
	case out.How == Refused:
		return c.mark(), !can || late
	case can:
		return next, true
	}
	return c, out.How == Unknown
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

func (p permit) step(in In, out Out) (machine, bool) {
	var from []permit
	var to permit
	switch in.Do {
	case Restart, Expire: // a receipt that has not come by then is missing
		if p == "open" {
			return permit("doubt"), true
		}
		return p, true
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
		return p, !can
	case can:
		return to, true
	}
	return p, out.How == Unknown
}

// dedupe is a key: the record it stands for, 0 for none.
type dedupe struct{ signal uint64 }

// unseen is the record that a key stands for when whoever sent it got no answer.
const unseen = ^uint64(0)

func (d dedupe) step(_ In, out Out) (machine, bool) {
	switch {
	case out.How == Unknown && d.signal == 0:
		return dedupe{unseen}, true
	case out.How == Unknown:
		return d, true
	case d.signal == 0:
		return dedupe{out.Signal}, !out.Repeat
	case d.signal == unseen:
		return dedupe{out.Signal}, out.Repeat
	}
	return d, out.Repeat && out.Signal == d.signal
}
