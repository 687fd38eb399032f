package rules

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

var errNoAction = errors.New("there is no action to judge")

// gate is one clause. It is immutable. Its answers are made when rules are
// loaded, so that judging allocates nothing.
type gate struct {
	id     string // "skill/clause"
	src    *source
	pos    sexpr.Pos
	form   sexpr.Value // as it is written
	reason string
	when   condition.Condition

	yes  skills.Verdict // if the condition holds, and there is nothing to compute
	set  *setting       // of a rewrite with something to compute
	asks bool           // of a rewrite or an ask: its condition asks about origin
	no   skills.Verdict // if not
	// unsure is the answer to a case that could not be judged: it never helps
	// the action.
	unsure func(why skills.Reason) skills.Verdict
}

// Key names the clause.
func (g *gate) Key() string { return g.id }

// Judge answers for the case. An error is a mistake of ours.
func (g *gate) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	yes, err := g.when.Holds(c)
	if err != nil {
		return g.failed(err)
	}
	switch {
	case !yes:
		return g.no, nil
	case g.set == nil:
		return g.shown(c), nil
	}
	set, err := g.set.value(c)
	if err != nil {
		return g.failed(err)
	}
	return skills.Rewrite{Set: set, Reason: g.why(), Origin: g.asks}, nil
}

// shown is the answer of a clause that applies: if it asks people because of origin, it
// tells them what was found.
func (g *gate) shown(c *skills.Case) skills.Verdict {
	ask, ok := g.yes.(skills.Ask)
	if !ok || !g.asks {
		return g.yes
	}
	ask.Reason.Advice = origin.Evidence(c)
	ask.Sources, _ = origin.Sources(c)
	return ask
}

// failed is the answer where something could not be judged.
func (g *gate) failed(err error) (skills.Verdict, error) {
	var u *Unjudged
	if !errors.As(err, &u) {
		return nil, err
	}
	at := u.Pos
	if at.Line == 0 {
		at = g.pos
	}
	return g.unsure(skills.Reason{
		Key: g.id + "/error", Text: "could not be judged (" + g.reason + "): " + u.Error(), Advice: advice(u),
		Pos: cmp.Or(u.File, g.src.path) + ":" + at.String(), Retryable: true,
	}), nil
}

// advice is what people are told of a condition that could not be judged, and models are
// not.
func advice(u *Unjudged) string {
	if u.Hint != "" && u.Used != "" {
		return u.Hint + "; " + u.Used
	}
	return u.Hint + u.Used
}

// why is the reason of a clause that applies.
func (g *gate) why() skills.Reason {
	return skills.Reason{Key: g.id, Text: g.reason, Pos: g.src.path + ":" + g.pos.String(), Retryable: true}
}

func denied(why skills.Reason) skills.Verdict { return skills.Deny{Reason: why} }

func newDeny(g *gate, mend *skills.Mend) *gate {
	g.no, g.yes, g.unsure = skills.Pass{}, skills.Deny{Reason: g.why(), Mend: mend}, denied
	return g
}

func newAllow(g *gate) *gate {
	g.no, g.yes = skills.Pass{}, skills.Allow{Reason: g.why()}
	g.unsure = func(why skills.Reason) skills.Verdict { return skills.Pass{Note: why.Text} }
	return g
}

func newRewrite(g *gate, set setting, asks bool) *gate {
	g.no, g.unsure, g.asks = skills.Pass{}, denied, asks
	if set.constant() {
		g.yes = skills.Rewrite{Set: set.literal, Reason: g.why(), Literal: true, Origin: asks}
	} else {
		g.set = &set
	}
	return g
}

// newAsk makes an ask clause. text is the clause with the lists it names: who
// edits one of them must be asked again. Not being able to judge is another
// question, with another key.
func newAsk(g *gate, slot skills.Slot, text string, asks bool) *gate {
	ask := func(why skills.Reason) skills.Verdict {
		s := slot
		s.Key = skills.AskKey(why.Key, s, text)
		return skills.Ask{Reason: why, Slot: s}
	}
	g.no, g.yes, g.unsure, g.asks = skills.Pass{}, ask(g.why()), ask, asks
	return g
}

// invariant is a definvariant: a gate that denies what does not hold.
type invariant struct {
	*gate
	holds condition.Condition
	on    []string // the only tools it bears on; nil: all
	more  bool     // its condition is more than the test of the tool
}

func (i *invariant) prepare(mend *skills.Mend) {
	newDeny(i.gate, mend)
}

// Judge denies an action for which the invariant does not hold.
func (i *invariant) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	if i.on != nil && c.Action() != nil && !slices.Contains(i.on, c.Action().Tool()) {
		return i.no, nil
	}
	if i.on == nil || i.more || c.Action() == nil {
		if bears, err := i.when.Holds(c); err != nil || !bears {
			if err != nil {
				return i.failed(err)
			}
			return i.no, nil
		}
	}
	ok, err := i.holds.Holds(c)
	if err != nil {
		return i.failed(err)
	}
	if ok {
		return i.no, nil
	}
	return i.yes, nil
}
