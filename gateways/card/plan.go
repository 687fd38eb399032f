package card

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

// plan has the steps of a plan: what each would do, and whether a yes is about it. What a yes is about
// is shown in full, and no short card leaves it out.
func (r renderer) plan(a *cortex.Approval) (out []Field) {
	for i := range a.Plan {
		s, asks := &a.Plan[i], asksAbout(a, a.Plan[i].Step)
		if asks != nil {
			s = asks // what the yes is about
		}
		f := Field{Name: fmt.Sprintf("step %d", i+1), argument: asks == nil}
		switch {
		case s.Action == nil:
			f.Value = r.word(s.Step) + " is open: " + r.text(s.Note)
		case asks == nil:
			f.Value = r.word(s.Step) + " is allowed: " + r.text(s.Action.Tool())
		default:
			f.Value = r.word(s.Step) + " asks: " + r.full(s.Action.Tool())
		}
		if s.Action != nil && s.Note != "" {
			f.Value += ", " + r.text(s.Note)
		}
		out = append(out, f)
		if s.Action == nil || len(s.Action.Args().Items()) == 0 {
			continue
		}
		exact := r
		exact.whole = asks != nil
		exact.walk("  ", s.Action.Args(), func(f Field) {
			f.argument = asks == nil
			out = append(out, f)
		})
	}
	return out
}

// asksAbout is the step of a slot; nil if none asks about it.
func asksAbout(a *cortex.Approval, step string) *skills.Of {
	i := slices.IndexFunc(a.Slots, func(s cortex.ApprovalSlot) bool { return s.Of != nil && s.Of.Step == step })
	if i < 0 {
		return nil
	}
	return a.Slots[i].Of
}

// Elsewhere is the card for a place that has room for limit bytes. A card of a plan that has steps for
// which there is no room is to be answered in another place: then there is a line that says so, where is
// how, and ok is false. The place offers no way to answer it.
func (c Card) Elsewhere(limit int, where string) (short Card, ok bool) {
	if !c.plan || len(c.least()) <= limit {
		return c, true
	}
	c.Fields = append([]Field{{Name: "no room", Value: "this card asks for more than can be shown here; " + where}},
		c.Fields...)
	return c, false
}

// least is the text without what a short card leaves out.
func (c Card) least() string {
	all := len(c.Fields)
	c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f Field) bool { return f.argument })
	if left := all - len(c.Fields); left > 0 {
		c.Fields = append(c.Fields, more(left))
	}
	return strings.TrimSuffix(c.Text(), "\n")
}
