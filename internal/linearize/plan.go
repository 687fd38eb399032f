package linearize

import (
	"slices"
	"strings"
)

// Use says which steps the card of a plan asks about, and which of them is taken.
type Use struct {
	Steps map[string]string // the bytes that people see for each step that asks
	Step  string            // that is taken
	Bytes string            // of its action
}

// The operations on cards for plans.
const (
	Take   = "take"   // a step is begun: on the yes of the card, or refused that and asked about anew
	Reload = "reload" // other rules are in force
)

// plan is a card for a plan. Once its start has consumed it, its yes counts for each of its steps: once, for
// the bytes on the card, until the time of the card is over, and under the policy that it was for.
type plan struct {
	card
	late bool   // the time of the yes is over
	old  bool   // another policy is in force
	used string // the steps that took their yes
}

func (p plan) step(in In, out Out) (next []machine) {
	switch in.Do {
	case Take:
		return p.take(in, out)
	case Reload:
		p.old = true
		if p.open() { // the engine asks anew
			p.state, p.over = "superseded", false
		}
		return one(p, true)
	case Expire:
		p.late = true
	}
	for _, m := range p.card.step(in, out) {
		after := p
		after.card = m.(card)
		next = append(next, after)
	}
	return next
}

// take: a step takes its yes if it has one, and only then.
func (p plan) take(in In, out Out) []machine {
	bytes, asked := in.Steps[in.Step]
	used := strings.Fields(p.used)
	can := p.state == "consumed" && asked && bytes == in.Bytes && !p.old && !slices.Contains(used, in.Step)
	late := p.late && in.early // the clock may have been looked at before
	if out.How == Refused {
		return one(p, !can || p.late)
	}
	used = append(used, in.Step)
	slices.Sort(used)
	after := p
	after.used = strings.Join(used, " ")
	return one(after, can && (!p.late || late))
}
