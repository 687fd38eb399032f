package reason

import (
	"slices"

	"github.com/opencortex-go/cortex/skills"
)

// combine turns what was said into what is decided, in this order and no other:
// any denial denies, any ask that the grant does not satisfy asks, the rest is
// allowed.
func (r *run) combine() {
	d := &r.d
	if !r.denied() {
		r.standing()
	}
	if r.denied() {
		d.Plan = nil
		if r.unsure && r.req.Observe { // it runs all the same, unless this is known
			r.deny(skills.Reason{Key: KeyUnresolved, Text: textUnresolved, Retryable: true})
		}
		d.Kind, d.Key, d.Retry = Deny, d.Reasons[0].Key, true
		for i := range d.Reasons {
			d.Retry = d.Retry && d.Reasons[i].Retryable
		}
		return
	}
	r.addAsks()
	r.open()
	if len(d.Reasons) > 0 {
		d.Kind, d.Key = Ask, d.Reasons[0].Key
		return
	}
	d.Kind, d.Plan = Allow, nil
	switch {
	case len(d.Vouched) > 0:
		d.Key = d.Vouched[0].Key
	case r.tool != nil:
		d.Key = tierKey(r.tool.Name)
	default:
		d.Key = KeyUnknownTool
	}
}

// standing denies for what holds whatever the gates say: the tool's tier, an
// intent in doubt, an undeclared tool that no clause vouches for.
func (r *run) standing() {
	d, tool := &r.d, r.tool
	if tool != nil && tool.Tier == skills.TierDeny {
		r.deny(skills.Reason{Key: tierKey(tool.Name), Text: "the tool " + tool.Name + " may not be used"})
	}
	if slices.Contains(r.req.InDoubt, d.Action.Digest()) {
		r.deny(skills.Reason{Key: KeyInDoubt,
			Text: "the same action was tried before and nobody knows yet whether it happened"})
	}
	r.countable()
	if tool == nil && len(d.Vouched) == 0 && r.req.Policy.UnknownTool() == skills.TierDeny {
		r.deny(skills.Reason{Key: KeyUnknownTool, Text: "no tool of this name is declared", Retryable: true})
	}
}

// countable denies an action that spends what cannot be counted.
func (r *run) countable() {
	if r.tool == nil {
		return
	}
	for _, s := range r.tool.Spends {
		if _, err := s.Of(r.d.Action); err != nil {
			r.deny(skills.Reason{Key: budgetKey(s.Budget), Text: err.Error(), Retryable: true})
		}
	}
}

// textUnresolved tells the model what would be judged.
const textUnresolved = "what it touches cannot be told beforehand; write the command plainly, with every path in full"

// addAsks completes the asks: the one of a question for a person first, then
// self-protection's, the tool's tier last.
func (r *run) addAsks() {
	d, tool := &r.d, r.tool
	if r.unsure {
		d.Asks = slices.Insert(d.Asks, 0, filled(skills.Ask{Reason: skills.Reason{
			Key: KeyUnresolved, Text: textUnresolved,
		}}, ""))
	}
	switch {
	case r.asks():
		d.Asks = slices.Insert(d.Asks, 0, person())
	case len(d.Vouched) > 0:
	case tool == nil:
		d.Asks = append(d.Asks, filled(skills.Ask{Reason: skills.Reason{
			Key: KeyUnknownTool, Text: "no tool of this name is declared",
		}}, ""))
	case tool.Tier != skills.TierAllow:
		d.Asks = append(d.Asks, filled(skills.Ask{Reason: skills.Reason{
			Key: tierKey(tool.Name), Text: "the tool " + tool.Name + " needs approval",
		}}, tool.Source.String()))
	}
}

// open lists the reasons of the asks that no grant satisfies. If there are several grants for the
// action, the one that leaves the fewest open counts: two never count together.
func (r *run) open() {
	d := &r.d
	d.Reasons = r.left(nil)
	if len(d.Reasons) == 0 {
		return
	}
	digest := d.Action.Digest()
	for i := range r.req.Grants {
		g := &r.req.Grants[i]
		if g.Digest != digest {
			continue
		}
		if left := r.left(g); len(left) < len(d.Reasons) {
			d.Reasons, d.Grant = left, g.Token
		}
	}
}

// left are the reasons of the asks that a grant does not satisfy.
func (r *run) left(g *Grant) (out []skills.Reason) {
	for i := range r.d.Asks {
		if a := &r.d.Asks[i]; g == nil || !g.Satisfies(a.Slot.Key) {
			out = append(out, a.Reason)
		}
	}
	return out
}
