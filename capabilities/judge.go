package capabilities

import (
	"context"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// plan is one plan as it is judged whole: what is supposed so far, and the steps that could not be
// judged. The step gates of one decision share it.
type plan struct {
	version *version
	inputs  sexpr.Value
	past    *supposed
	steps   []skills.Of // so far, for the card
	repeats bool        // the start is answered with outputs that are there: no step runs
}

// shared is the key under which the step gates of a capability share what they suppose.
func shared(id string) string { return "capability/" + id }

// planOf returns what the step gates of a case share: the pin gate makes it anew in each round. It is nil
// in a round that changed the start, since the next round judges the plan.
func planOf(c *skills.Case, v *version) *plan {
	p, _ := c.Shared(shared(v.ID)).(*plan)
	return p
}

// stepGate judges one step of a plan, and what would make up for it, before the plan begins.
type stepGate struct {
	book  *book
	id    string // of the capability
	place int    // of the step, from 0
	tools skills.ToolSet
}

// Key implements [skills.Gate].
func (g *stepGate) Key() string { return fmt.Sprintf("%s/step/%d", g.id, g.place+1) }

// Judge implements [skills.Gate]. A version with fewer steps passes.
func (g *stepGate) Judge(ctx context.Context, c *skills.Case) (skills.Verdict, error) {
	v, ok := g.book.version(c.Action())
	if !ok || g.place >= len(v.Steps) {
		return skills.Pass{}, nil
	}
	p := planOf(c, v)
	if p == nil || p.repeats {
		return skills.Pass{}, nil
	}
	step := &v.Steps[g.place]
	if v.Open(step) {
		return p.leave(step, "its arguments are known only when it is due"), nil
	}
	seen := form.Seen{Inputs: p.inputs, Ctx: c.Facts().Ctx}
	action, err := v.Fill(step, seen)
	if err != nil {
		return p.refused(step.Name, skills.Reason{Text: err.Error(), Retryable: true}), nil
	}
	t, open, err := p.judge(ctx, c, action, skills.Step{Plan: v.hash, Version: 1, ID: step.Name})
	switch {
	case err != nil:
		return nil, err
	case open:
		return p.leave(step, "it cannot be judged before the steps that it follows"), nil
	case len(t.Reasons) > 0:
		return p.refused(step.Name, t.Reasons[0]), nil
	}
	declared, _ := g.tools.Tool(step.Tool)
	p.past.add(step.Tool, t.Action, declared, c.Facts())
	note, denied, err := g.undo(ctx, c, p, step, seen)
	if denied != nil || err != nil {
		return denied, err
	}
	p.steps = append(p.steps, skills.Of{Step: step.Name, Action: t.Action, Note: strings.TrimPrefix(note, ", and ")})
	if t.Allowed {
		return skills.Pass{Note: step.Name + " is allowed" + note}, nil
	}
	for i := range t.Asks {
		t.Asks[i].Of = &skills.Of{Step: step.Name, Action: t.Action, Note: strings.TrimPrefix(note, ", and ")}
		t.Asks[i].Reason.Key = fmt.Sprintf("%s/step/%s", v.ID, step.Name)
	}
	return skills.Asks{List: t.Asks}, nil
}

// undo judges what would make up for a step. A denial refuses the plan; an ask is noted, since people
// are asked about it when it is due.
func (g *stepGate) undo(ctx context.Context, c *skills.Case, p *plan, step *form.Step, seen form.Seen) (
	note string, denied skills.Verdict, err error) {
	if step.Undo == nil {
		return "", nil, nil
	}
	if p.version.OpenUndo(step) {
		return "", nil, nil // it is judged when it is due
	}
	name := undoOf(step.Name)
	action, err := p.version.FillUndo(step, seen)
	if err != nil {
		return "", p.refused(name, skills.Reason{Text: err.Error(), Retryable: true}), nil
	}
	t, open, err := p.judge(ctx, c, action, skills.Step{Plan: p.version.hash, Version: 1, ID: name, Undo: true})
	switch {
	case err != nil || open:
		return "", nil, err
	case len(t.Reasons) > 0:
		return "", p.refused(name, t.Reasons[0]), nil
	case !t.Allowed:
		return ", and people are asked before it is made up for", nil, nil
	}
	return "", nil, nil
}

// undoOf names what makes up for a step: for the record, for rules and for people.
func undoOf(step string) string { return step + "/undo" }

// judge judges an action on the past that is supposed. If something cannot be judged there, and can on the
// real past, the step is open: it needs what only the earlier steps bring.
func (p *plan) judge(ctx context.Context, c *skills.Case, a *skills.Action, step skills.Step) (t skills.Trial,
	open bool, err error) {
	if t, err = p.try(ctx, c, a, step, p.past); err != nil || !t.Failed {
		return t, false, err
	}
	now, err := p.try(ctx, c, a, step, &supposed{real: c})
	return t, err == nil && !now.Failed, err
}

// try judges an action as the step that it will be.
func (p *plan) try(ctx context.Context, c *skills.Case, a *skills.Action, step skills.Step, past *supposed) (
	skills.Trial, error) {
	f := *c.Facts()
	f.Step, f.Work, f.Recall = step, sexpr.Value{}, past
	f.Session = skills.Session{ID: f.Session.ID, Principal: f.Session.Principal, Roles: f.Session.Roles}
	f.Signal = perceive.Signal{Type: perceive.Event, Sensor: perceive.Run, Source: perceive.Run,
		Principal: f.Session.Principal, Roles: f.Session.Roles}
	return c.Try(ctx, a, &f)
}

// leave notes that a step is judged only when it is due. In the past of later steps it has no
// arguments.
func (p *plan) leave(step *form.Step, why string) skills.Verdict {
	p.steps = append(p.steps, skills.Of{Step: step.Name, Note: step.Tool + ": " + why})
	call := &skills.Call{Tool: step.Tool, Decision: "allow", Happened: true}
	p.past.calls = append(p.past.calls, skills.Turn{Call: call})
	return skills.Pass{Note: step.Name + " is open: " + why}
}

// refused denies the plan for a step, which it names, in the rule's own words.
func (p *plan) refused(step string, why skills.Reason) skills.Verdict {
	why.Key = fmt.Sprintf("%s/step/%s", p.version.ID, step)
	why.Text = fmt.Sprintf("step %s: %s", step, why.Text)
	return skills.Deny{Reason: why}
}
