package approval

import (
	"slices"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// GrantOf returns what Decide may match a step of the plan against, for an approval that the start of
// the plan has consumed. ok is false if the card had no ask about that step. taken reports whether the
// yes to an ask is used up: each counts for one intent.
func (a *Approval) GrantOf(step string, taken func(ask sexpr.Digest) (bool, error)) (g reason.Grant, ok bool, err error) {
	g = reason.Grant{Token: a.Token, Step: step}
	for i := range a.Slots {
		s := &a.Slots[i]
		if s.Of == nil || s.Of.Step != step || !s.Filled() {
			continue
		}
		used, err := taken(s.Key)
		if err != nil {
			return g, false, err
		}
		if !used {
			g.Digest, g.Keys = s.Of.Action.Digest(), append(g.Keys, s.Key)
		}
	}
	return g, len(g.Keys) > 0, nil
}

// Planned reports whether the card asks about steps of a plan.
func (a *Approval) Planned() bool {
	return slices.ContainsFunc(a.Slots, func(s Slot) bool { return s.Of != nil })
}

func ofValue(o *skills.Of) sexpr.Value {
	return sexpr.Plist("args", o.Action.Args(), "digest", sexpr.Str(o.Action.Digest().String()),
		"explanation", sexpr.Str(o.Action.Explanation()), "note", sexpr.Str(o.Note), "step", sexpr.Str(o.Step),
		"tool", sexpr.Str(o.Action.Tool()))
}

func ofFrom(slot sexpr.Value) (*skills.Of, error) {
	v, ok := slot.Get("of")
	if !ok {
		return nil, nil //nolint:nilnil // the ask is about the action itself
	}
	digest, err := sexpr.ParseDigest(v.GetText("digest"))
	if err != nil {
		return nil, err
	}
	args, _ := v.Get("args")
	a, err := skills.Recorded(v.GetText("tool"), args, v.GetText("explanation"), digest, false)
	return &skills.Of{Step: v.GetText("step"), Note: v.GetText("note"), Action: a}, err
}
