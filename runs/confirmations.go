package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A person confirms the values that the question showed. Their digests stand in the receipt of the step; an agent
// does not change the values afterwards, and no step of a tool that rests on the confirmation is taken if
// they are others all the same.

const (
	receiptKind = "cortex.receipt"
	shownKey    = "shown" // of a receipt: digests of the values that were confirmed, by path
)

// binds says whether a step is a person's confirmation.
func binds(step *plans.Step) bool {
	return step.By == plans.ByPerson && step.Person.Kind == skills.Confirm
}

// shown are digests of the values that fill the slots of a text, by path.
func shown(text string, seen sexpr.Value) map[string]event.Digest {
	out := map[string]event.Digest{}
	for _, s := range plans.Slots(text) {
		out[s.Path] = digestAt(seen, s.Path)
	}
	return out
}

// digestAt is the digest of what stands in work at a path.
func digestAt(seen sexpr.Value, path string) event.Digest {
	text, err := sexpr.ToJSON(plans.Lookup(seen, path))
	if err == nil {
		text, err = canon.JSON(text)
	}
	if err != nil {
		return "" // work has no such values
	}
	return event.DigestOf(text)
}

// confirmation is one that a person gave on the way to a place.
type confirmation struct {
	step  string
	loop  string // around it, or ""
	pass  int    // of the loop
	own   []string
	shown map[string]event.Digest
}

// keyOf is the key of work that a path leads through.
func keyOf(seen sexpr.Value, path string) string {
	if _, ok := seen.Get(path); ok {
		return path
	}
	key, _, _ := strings.Cut(path, ".")
	return key
}

// confirmations are the newest of each step on the way to a place, where an agent hands in what changes
// work; nil where another does.
func (r *Runs) confirmations(p *place, h handed) ([]confirmation, error) {
	if h.engine || h.from != work.FromAgent || h.context.Len() == 0 {
		return nil, nil
	}
	return r.confirmedBefore(p, func(string) bool { return true })
}

// keeps refuses work in which an agent has changed what a person confirmed, unless the step gives it.
func (c *closing) keeps(merged sexpr.Value) error {
	for _, f := range c.fixed {
		for path, want := range f.shown {
			key := keyOf(c.p.work, path)
			if slices.Contains(f.own, key) || slices.Contains(c.step.Gives, key) {
				continue
			}
			if digestAt(c.p.work, path) == want && digestAt(merged, path) != want {
				return &work.OwnerError{Key: key, Owner: "confirmed by a person at step " + f.step}
			}
		}
	}
	return nil
}

// outdated is why a step of a tool is not taken: it rests on a confirmation of values that are others now. A
// release of the step counts more.
func (r *Runs) outdated(p *place, due advance.Due) ([]state.Reason, error) {
	if slices.ContainsFunc(p.log.Waits(p.node), func(g *fold.Gap) bool { return g.Resolved && g.By == released(g) }) {
		return nil, nil
	}
	rests := p.plan.Rests(due.Step)
	list, err := r.confirmedBefore(p, rests)
	if err != nil {
		return nil, err
	}
	pos, _ := position(p.at)
	for _, f := range list {
		same := len(pos.Loops) > 0 && pos.Loops[0].LoopID == f.loop && pos.Loops[0].Iteration == f.pass
		for _, path := range slices.Sorted(maps.Keys(f.shown)) {
			seen := p.work
			if slices.Contains(f.own, keyOf(p.work, path)) {
				if !same {
					continue
				}
				seen = due.Work
			}
			if digestAt(seen, path) != f.shown[path] {
				return []state.Reason{{Code: state.NeedsApproval, Pointer: state.Pointer{Kind: state.AtContextKey, Key: path},
					Message: fmt.Sprintf("Step %s rests on step %s, where a person confirmed {{%s}}, and that has another value now.",
						due.Step.ID, f.step, path),
					Fix: p.askRelease()}}, nil
			}
		}
	}
	return nil, nil
}

// confirmedBefore are the newest confirmations on the way to a place, of each step that counts.
func (r *Runs) confirmedBefore(p *place, counts func(step string) bool) (out []confirmation, err error) {
	left := map[string]bool{}
	for step := range p.plan.AllSteps() {
		if binds(step) && len(plans.Slots(step.Person.Question)) > 0 && counts(step.ID) {
			left[step.ID] = true
		}
	}
	for at := p.node; at.Parent != nil && len(left) > 0; at = at.Parent {
		if at.Kind != event.StepNode {
			continue
		}
		before, err := r.shelf.Snapshot(at.Parent)
		if err != nil {
			return nil, err
		}
		was, ok := position(before)
		if !ok || !left[was.Pending.ID] {
			continue
		}
		artifacts, err := r.shelf.Artifacts(p.log, at)
		if err != nil {
			return nil, err
		}
		delete(left, was.Pending.ID)
		out = append(out, confirmationOf(p.plan, was, artifacts))
	}
	return out, nil
}

// confirmationOf reads the receipt of a confirmation. One that was recorded before receipts held digests
// binds nothing.
func confirmationOf(plan *plans.Plan, was state.Position, artifacts []sexpr.Value) confirmation {
	c := confirmation{step: was.Pending.ID, shown: map[string]event.Digest{}}
	if len(was.Loops) > 0 {
		c.loop, c.pass = was.Loops[0].LoopID, was.Loops[0].Iteration
		if loop, ok := plan.Loop(c.loop); ok {
			c.own = []string{loop.ItemVar, loop.IndexVar, loop.IterationVar}
		}
	}
	for _, a := range artifacts {
		if a.GetText("kind") != receiptKind {
			continue
		}
		values, _ := a.Get(shownKey)
		for path, of := range work.Members(values) {
			c.shown[path] = event.Digest(of.Text())
		}
	}
	return c
}
