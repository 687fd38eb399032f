package approval

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// GrantOf returns what Decide may match a step of the plan against, for an approval that the start of
// the plan has consumed. ok is false if the card had no ask about that step. taken reports whether the
// yes to an ask is used up: each counts for one intent.
func (a *Approval) GrantOf(step string, taken func(ask sexpr.Digest) (bool, error)) (g reason.Grant, ok bool,
	err error) {
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

// bound is what the second digest covers of a step.
func bound(o *skills.Of) string {
	digest := ""
	if o.Action != nil {
		digest = o.Action.Digest().String()
	}
	return fmt.Sprintf("%q %s %q", o.Step, digest, o.Note)
}

func ofValue(o *skills.Of) sexpr.Value {
	v := sexpr.Plist("note", sexpr.Str(o.Note), "step", sexpr.Str(o.Step))
	if a := o.Action; a != nil {
		v = v.With("args", a.Args()).With("digest", sexpr.Str(a.Digest().String())).
			With("explanation", sexpr.Str(a.Explanation())).With("tool", sexpr.Str(a.Tool()))
	}
	return v
}

func ofFrom(v sexpr.Value) (skills.Of, error) {
	o := skills.Of{Step: v.GetText("step"), Note: v.GetText("note")}
	if v.GetText("tool") == "" {
		return o, nil
	}
	digest, err := sexpr.ParseDigest(v.GetText("digest"))
	if err != nil {
		return o, err
	}
	args, _ := v.Get("args")
	_, withheld := v.Get(record.Withheld)
	o.Action, err = skills.Recorded(v.GetText("tool"), args, v.GetText("explanation"), digest, withheld)
	return o, err
}
