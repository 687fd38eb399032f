package reason

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/skills"
)

// triggered reports whether a skill has to do with the case. Doubt denies.
func (r *run) triggered(s *skills.Skill) bool {
	if s.Trigger == nil {
		return true
	}
	on, err := s.Trigger(&r.c)
	switch {
	case !r.untouched():
		r.fail(s.Name+"/trigger", errTampered)
		return false
	case err == nil:
		return on
	}
	why := foreign.Legible(err.Error())
	r.failed = true
	r.deny(skills.Reason{
		Key: triggerKey(s.Name), Text: "whether the skill applies could not be judged: " + why, Retryable: true,
	})
	r.trace(Step{Round: r.d.Rounds, Gate: s.Name + "/trigger", Outcome: Failed, Note: why})
	return false
}

// untouched reports whether the case still holds what all are to judge, and puts
// it back if a gate has set another in its place.
func (r *run) untouched() bool {
	if r.c.Action() == r.d.Action && r.c.Facts() == r.facts && r.c.Tool() == r.tool {
		return true
	}
	r.c = *skills.NewCase(r.d.Action, r.tool, r.facts).WithLookup(r.c.Lookup())
	return false
}

// gate asks one gate and does what its verdict says.
func (r *run) gate(ctx context.Context, g skills.Gate) {
	v, ok := r.judge(ctx, g)
	if !ok {
		return
	}
	switch v := v.(type) {
	case skills.Pass:
		r.step(g, Passed, v.Note)
	case skills.Allow:
		r.d.Vouched = append(r.d.Vouched, named(v.Reason, g))
		r.step(g, Vouched, v.Reason.Text)
	case skills.Ask:
		r.ask(g, v)
	case skills.Asks:
		r.askAll(g, v)
	case skills.Deny:
		r.denial(g, v)
	case skills.Rewrite:
		r.rewrite(g, v)
	default:
		r.fail(g.Key(), fmt.Errorf("an answer of the wrong shape: %T", v))
	}
}

// judge asks one gate. It reports false, having denied, if there is no answer.
func (r *run) judge(ctx context.Context, g skills.Gate) (skills.Verdict, bool) {
	v, err := g.Judge(ctx, &r.c)
	switch {
	case !r.untouched():
		err = errTampered
	case err == nil && v == nil:
		err = errNoAnswer
	}
	if err != nil {
		r.fail(g.Key(), err)
		return nil, false
	}
	return v, true
}

// denial denies by a gate's own word.
func (r *run) denial(g skills.Gate, v skills.Deny) {
	r.deny(named(v.Reason, g))
	if v.Mend != nil {
		r.mends = append(r.mends, v.Mend)
	}
	r.step(g, Denied, v.Reason.Text)
}

func (r *run) ask(g skills.Gate, v skills.Ask) {
	v.Reason, v.Slot.Class = named(v.Reason, g), foreign.Legible(v.Slot.Class)
	if v.Slot.Quorum < 0 {
		r.fail(g.Key(), fmt.Errorf("an ask for %d people", v.Slot.Quorum))
		return
	}
	v = filled(v, "")
	if v.Slot.NotUser {
		v.Slot.Key = skills.BarredKey(v.Slot.Key, r.facts.Session.Principal)
	}
	r.d.Asks = append(r.d.Asks, v)
	r.step(g, Asked, v.Reason.Text)
}

// askAll asks for each step of a plan that asks. Their keys are those that the steps have when they
// are due, for that step and those bytes alone.
func (r *run) askAll(g skills.Gate, all skills.Asks) {
	if len(all.Plan) > 0 {
		r.d.Plan = all.Plan
	}
	for _, v := range all.List {
		if v.Of == nil || v.Of.Action == nil || v.Slot.Key.IsZero() || v.Slot.Quorum < 1 || v.Slot.Class == "" {
			r.fail(g.Key(), errors.New("an ask of a plan without its step, action, key, class or quorum"))
			return
		}
		v.Reason = named(v.Reason, g)
		v.Slot.Key = skills.StepKey(v.Slot.Key, v.Of.Step, v.Of.Action.Digest())
		r.d.Asks = append(r.d.Asks, v)
		r.step(g, Asked, v.Reason.Text)
	}
}

// filled is an ask with its defaults written out.
func filled(v skills.Ask, clause string) skills.Ask {
	if v.Slot.Class == "" {
		v.Slot.Class = skills.DefaultClass
	}
	if v.Slot.Quorum == 0 {
		v.Slot.Quorum = 1
	}
	if v.Slot.Key.IsZero() {
		v.Slot.Key = skills.AskKey(v.Reason.Key, v.Slot, clause)
	}
	return v
}

// rewrite merges what a gate set, and holds the result against the schema and
// the protected places. One that changes nothing is a pass.
func (r *run) rewrite(g skills.Gate, v skills.Rewrite) {
	if !v.Set.IsObject() && !v.Set.IsNil() {
		r.fail(g.Key(), fmt.Errorf("a rewrite that sets a %s, expected a plist", v.Set.Kind()))
		return
	}
	a, err := r.d.Action.Rewritten(v.Set)
	if err == nil {
		a, err = skills.Conform(a, r.req.Policy)
	}
	if err != nil {
		why := malformed(err, nil)
		why.Text, why.Retryable = "as rewritten by "+g.Key()+": "+why.Text, false
		r.deny(why)
		r.trace(Step{Round: r.d.Rounds, Gate: g.Key(), Outcome: Failed, Note: why.Text})
		return
	}
	if a.Digest() == r.d.Action.Digest() {
		r.step(g, Passed, "")
		return
	}
	r.take(a, nil)
	r.c.Rewritten(v)
	r.origin = r.origin || v.Origin
	r.trace(Step{Round: r.d.Rounds, Gate: g.Key(), Outcome: Rewrote, Note: v.Reason.Text, Diff: v.Set})
	if r.protect(nil) {
		r.question(true)
	}
}

// invariants holds the final action against every condition that it must meet.
func (r *run) invariants(ctx context.Context) {
	for _, g := range r.req.Policy.Invariants(r.d.Action.Tool()) {
		r.invariant(ctx, g)
	}
}

func (r *run) invariant(ctx context.Context, g skills.Gate) {
	defer func() {
		if p := recover(); p != nil {
			r.untouched()
			r.fail(g.Key(), foreign.Panicked(p))
		}
	}()
	v, ok := r.judge(ctx, g)
	if !ok {
		return
	}
	switch v := v.(type) {
	case skills.Pass:
		r.step(g, Passed, v.Note)
	case skills.Deny:
		r.denial(g, v)
	case skills.Allow, skills.Rewrite, skills.Ask, skills.Asks:
		r.fail(g.Key(), fmt.Errorf("an invariant answered with %T", v))
	default: // a pointer to a verdict is one to the compiler, and none to us
		r.fail(g.Key(), fmt.Errorf("an invariant answered with %T", v))
	}
}

// step traces a gate's answer. Of those that passed and had nothing to say it
// counts how many there were: there may be thousands.
func (r *run) step(g skills.Gate, o Outcome, note string) {
	switch {
	case r.req.NoTrace:
	case o == Passed && note == "" && !r.req.Passes:
		r.d.Passed++
	default:
		r.trace(Step{Round: r.d.Rounds, Gate: g.Key(), Outcome: o, Note: foreign.Legible(note)})
	}
}

// named is a reason fit to be kept: with a key, the gate's own where it gave
// none, and with texts that have a spelling and an end.
func named(why skills.Reason, g skills.Gate) skills.Reason {
	if why.Key == "" {
		why.Key = g.Key()
	}
	for _, s := range []*string{&why.Key, &why.Text, &why.Detail, &why.Advice, &why.Pos} {
		*s = foreign.Legible(*s)
	}
	return why
}

var (
	errNoAnswer = errors.New("no answer")
	errTampered = errors.New("it changed what the others are to judge")
)
