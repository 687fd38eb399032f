package advance

import (
	"fmt"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

// Unjudged is the reason for a condition that cannot be judged. It points at the key that the
// condition reads, or at the step if it reads several.
func Unjudged(c *plans.Condition, id string, err error) state.Reason {
	r := state.Reason{Code: state.InvalidContext, Pointer: state.Pointer{Kind: state.AtStep, StepID: id},
		Message: cut(fmt.Sprintf("The condition of %s: %v", id, err)),
		Fix:     "Send the context keys that it compares as the kinds it expects."}
	keys := map[string]bool{}
	if c == nil {
		return r
	}
	reads(c.Form(), keys)
	for key := range keys {
		if len(keys) == 1 {
			r.Pointer = state.Pointer{Kind: state.AtContextKey, Key: key}
		}
	}
	return r
}

// reads collects the keys of work that a form reads.
func reads(form sexpr.Value, keys map[string]bool) {
	if form.Kind() != sexpr.List {
		return
	}
	items := form.Items()
	if len(items) == 2 && items[0].IsSym("work") {
		keys[items[1].Text()] = true
	}
	for _, item := range items {
		reads(item, keys)
	}
}

// cut holds a message to its budget.
func cut(text string) string { return canon.Truncate(text, state.MaxMessage) }

// preview is the beginning of a value.
func preview(v sexpr.Value) string {
	text, err := sexpr.ToJSON(v)
	if err != nil {
		return "(no JSON)"
	}
	return canon.Truncate(string(text), 80)
}

// example is the least valid artifact of a contract.
func example(plan *plans.Plan, ref string) string {
	c, ok := plan.Contract(ref)
	if !ok {
		return ref
	}
	text, err := sexpr.ToJSON(c.Example.Value())
	if err != nil {
		return ref
	}
	return string(text)
}

// cutFix holds a fix to its budget.
func cutFix(text string) string { return canon.Truncate(text, state.MaxFix) }
