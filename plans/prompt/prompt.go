// Package prompt renders the text of a step at run time: what was authored, with the slots of
// work filled in, and what the engine adds so that the agent knows what it must hand in.
//
// The order is fixed: the banner of a loop, the authored prompt, guidance, requirements or the contract,
// assessments, the reminder of notes, fragments whose condition holds, definitions of functions.
package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxFunctions bounds the definitions of functions, in UTF-8 bytes.
const maxFunctions = 8192

// Text is a rendered step.
type Text struct {
	Title, Prompt, AgentRole string
}

// Render renders the step of due. Reasons say why it cannot: a slot or a key that the step
// declares is not set, or a condition cannot be judged.
func Render(plan *plans.Plan, due advance.Due) (Text, []state.Reason) {
	step := due.Step
	r := &renderer{step: step, loop: due.Loop, seen: due.Work}
	r.reasons = advance.Ready(step, due.Work)
	out := Text{Title: r.fill(step.Title), AgentRole: step.AgentRole}
	if out.AgentRole == "" {
		out.AgentRole = plan.AgentRole
	}
	parts := []string{r.banner(due.State), r.fill(step.Prompt), r.guidance(plan), r.parallel(), requirements(plan, step),
		assessments(plan, step), notes(step)}
	for _, f := range step.Fragments {
		holds, err := f.When.Holds(due.Work)
		if err != nil {
			r.reasons = append(r.reasons, advance.Unjudged(f.When, step.ID, err))
		} else if holds {
			parts = append(parts, r.fill(f.Text))
		}
	}
	parts = append(parts, Functions(plan, due.Loop, step, step.FunctionRefs))
	out.Prompt = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
	return out, r.reasons
}

type renderer struct {
	step    *plans.Step
	loop    *plans.Loop
	seen    sexpr.Value
	reasons []state.Reason
}

// fill puts work into the slots of a text, once: what it puts in is not looked at again.
func (r *renderer) fill(text string) string {
	return plans.FillSlots(text, func(s plans.Slot) string {
		v := plans.Lookup(r.seen, s.Path)
		if v.IsSym("null") {
			return r.unset(s.Path)
		}
		if v.Kind() == sexpr.String {
			return v.Text()
		}
		out, err := sexpr.ToJSON(v)
		if err != nil {
			return r.unset(s.Path)
		}
		return string(out)
	})
}

// unset blocks where the step declares the key, or a loop makes it. Else the text says so.
func (r *renderer) unset(path string) string {
	root, _, _ := strings.Cut(path, ".")
	looped := r.loop != nil && (root == r.loop.ItemVar || root == r.loop.IndexVar || root == r.loop.IterationVar)
	if !looped && !slices.Contains(r.step.Uses, root) && !slices.Contains(r.step.Uses, path) {
		return "[unset: " + path + "]"
	}
	found := plans.Lookup(r.seen, root)
	if slices.ContainsFunc(r.reasons, func(old state.Reason) bool { return old.Pointer.Key == path }) {
		return "[unset: " + path + "]"
	}
	reason := state.Reason{Code: state.MissingContext, Pointer: state.Pointer{Kind: state.AtContextKey, Key: path},
		Message: canon.Truncate(fmt.Sprintf("Step %s shows {{%s}}, which is not set: %s is %s, %s", r.step.ID, path, root,
			work.Kind(found), preview(found)), state.MaxMessage),
		Fix: fmt.Sprintf("Send the context key %s so that {{%s}} is set.", r.source(root), path)}
	r.reasons = append(r.reasons, reason)
	return "[unset: " + path + "]"
}

// source is the key that a person or agent sends: of an item, that of its list.
func (r *renderer) source(root string) string {
	if r.loop != nil && root == r.loop.ItemVar {
		return r.loop.Items
	}
	return root
}

func preview(v sexpr.Value) string {
	text, err := sexpr.ToJSON(v)
	if err != nil {
		return "(no JSON)"
	}
	return canon.Truncate(string(text), 80)
}

// banner says which pass of a loop this is. It never names the loop: agents would copy the id.
func (r *renderer) banner(s state.State) string {
	running, ok := s.(state.Running)
	if r.loop == nil || !ok || len(running.Loops) == 0 {
		return ""
	}
	if r.step.Output != nil && r.step.Output.ContractRef == r.loop.Control {
		return "" // the step that decides
	}
	pass := running.Loops[0].Iteration + 1
	if pass == 1 {
		return fmt.Sprintf("> This step is part of a loop of at most %d passes. This is the first.", r.loop.MaxIterations)
	}
	text := fmt.Sprintf("> Pass %d of at most %d. Build on your earlier work, and look at what it missed.",
		pass, r.loop.MaxIterations)
	if pass == r.loop.MaxIterations {
		text += " This is the last pass: see that earlier changes hold."
	}
	return text
}

// guidance is what the workflow says for every step, and the step for itself.
func (r *renderer) guidance(plan *plans.Plan) string {
	var lines []string
	for _, text := range slices.Concat(plan.MetaGuidance, r.step.Guidance) {
		lines = append(lines, r.fill(text))
	}
	return section("GUIDANCE", lines)
}

// parallel says which pieces of work are to be handed out at the same time.
func (r *renderer) parallel() string {
	var lines []string
	for _, d := range r.step.Parallel {
		holds, err := d.When.Holds(r.seen)
		if err != nil {
			r.reasons = append(r.reasons, advance.Unjudged(d.When, r.step.ID, err))
			continue
		}
		details, err := sexpr.ToJSON(d.Details.Value())
		if holds && err == nil {
			lines = append(lines, fmt.Sprintf("- **%s**: %s", d.ID, r.fill(string(details))))
		}
	}
	switch {
	case len(r.step.Parallel) == 0:
		return ""
	case len(lines) == 0:
		return "Nothing is to be handed out in this step: go on."
	}
	return "Hand out these pieces of work at the same time, to other agents, and wait for all of them:\n" +
		strings.Join(lines, "\n")
}
