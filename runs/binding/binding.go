package binding

import (
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Receipt is the kind of the artifact by which the engine says that it did a step.
const Receipt = "cortex.receipt"

// Key is the member of a receipt that holds digests of the values that were confirmed, by path.
const Key = "shown"

// Binds reports whether a step is a person's confirmation.
func Binds(step *plans.Step) bool {
	return step.By == plans.ByPerson && step.Person.Kind == skills.Confirm
}

// Shown returns digests of the values that fill the slots of a text, by path.
func Shown(text string, seen sexpr.Value) map[string]event.Digest {
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

// Confirmation is one that a person gave on the way to a place of a run.
type Confirmation struct {
	Step  string
	loop  string   // around it, or ""
	pass  int      // of the loop
	own   []string // variables of the loop
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

// Keep returns the first error of [Confirmation.Keeps]; nil if there is none.
func Keep(list []Confirmation, was, is sexpr.Value, gives []string) error {
	for _, c := range list {
		if err := c.Keeps(was, is, gives); err != nil {
			return err
		}
	}
	return nil
}

// Keeps returns a *[work.OwnerError] if work has changed from was to is in what a person confirmed, other than in
// the keys that the step of the change gives.
func (c Confirmation) Keeps(was, is sexpr.Value, gives []string) error {
	for path, want := range c.shown {
		key := keyOf(was, path)
		if slices.Contains(c.own, key) || slices.Contains(gives, key) {
			continue
		}
		if digestAt(was, path) == want && digestAt(is, path) != want {
			return &work.OwnerError{Key: key, Owner: "confirmed by a person at step " + c.Step}
		}
	}
	return nil
}

// Outdated returns the first path at which another value stands now than was confirmed; "" if there is none.
// seen is work with the variables of the loop that the run is in, at loop and pass. Variables of a loop count
// within their pass.
func (c Confirmation) Outdated(all, seen sexpr.Value, loop string, pass int) string {
	for _, path := range slices.Sorted(maps.Keys(c.shown)) {
		in := all
		if slices.Contains(c.own, keyOf(all, path)) {
			if loop != c.loop || pass != c.pass {
				continue
			}
			in = seen
		}
		if digestAt(in, path) != c.shown[path] {
			return path
		}
	}
	return ""
}

// Before returns the newest confirmations on the way to a node, of each step that counts.
func Before(s *shelf.Shelf, plan *plans.Plan, log *fold.State, node *fold.Node, counts func(step string) bool) (
	out []Confirmation, err error) {
	left := map[string]bool{}
	for step := range plan.AllSteps() {
		if Binds(step) && len(plans.Slots(step.Person.Question)) > 0 && counts(step.ID) {
			left[step.ID] = true
		}
	}
	for at := node; at.Parent != nil && len(left) > 0; at = at.Parent {
		if at.Kind != event.StepNode {
			continue
		}
		before, err := s.Snapshot(at.Parent)
		if err != nil {
			return nil, err
		}
		was, ok := before.(state.Running) // a step that was blocked before has a place of its own
		if b, blocked := before.(state.Blocked); blocked {
			was.Position, ok = b.Position, true
		}
		if !ok || was.Pending == nil || !left[was.Pending.ID] {
			continue
		}
		artifacts, err := s.Artifacts(log, at)
		if err != nil {
			return nil, err
		}
		delete(left, was.Pending.ID)
		out = append(out, read(plan, was.Position, artifacts))
	}
	return out, nil
}

// read reads the receipt of a confirmation. One that was recorded before receipts held digests binds nothing.
func read(plan *plans.Plan, was state.Position, artifacts []sexpr.Value) Confirmation {
	c := Confirmation{Step: was.Pending.ID, shown: map[string]event.Digest{}}
	if len(was.Loops) > 0 {
		c.loop, c.pass = was.Loops[0].LoopID, was.Loops[0].Iteration
		if loop, ok := plan.Loop(c.loop); ok {
			c.own = []string{loop.ItemVar, loop.IndexVar, loop.IterationVar}
		}
	}
	for _, a := range artifacts {
		if a.GetText("kind") != Receipt {
			continue
		}
		values, _ := a.Get(Key)
		for path, of := range work.Members(values) {
			c.shown[path] = event.Digest(of.Text())
		}
	}
	return c
}

// Brief cuts a text that a question shows beside others. A digest stands for what is left out, so that another
// text never looks the same.
func Brief(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " ... (" + string(event.DigestOf([]byte(text))) + ")"
}

// ReceiptOf is the artifact that says by which records a step was done, and of a confirmation, which values
// were confirmed.
func ReceiptOf(step *plans.Step, tool string, t engine.Taken, shown map[string]event.Digest) []byte {
	out := map[string]any{"kind": Receipt, "tool": tool, "decision": t.Decision, "intent": t.Intent, "receipt": t.Receipt}
	if Binds(step) && len(shown) > 0 {
		out[Key] = shown
	}
	text, _ := canon.Of(out) // numbers and texts
	return text
}
