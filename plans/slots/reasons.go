package slots

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
)

// reasons say of a step of a run why its slots cannot be filled, one for each key.
func reasons(step *plans.Step, faults []Fault) (all []state.Reason) {
	for _, f := range faults {
		r := reason(step, f)
		r.Message, r.Fix = canon.Truncate(r.Message, state.MaxMessage), canon.Truncate(r.Fix, state.MaxFix)
		if !slices.ContainsFunc(all, func(old state.Reason) bool { return old.Pointer == r.Pointer }) {
			all = append(all, r)
		}
	}
	return all
}

func reason(step *plans.Step, f Fault) state.Reason {
	at := state.Pointer{Kind: state.AtContextKey, Key: f.Slot.Path}
	switch {
	case f.Unset:
		return state.Reason{Code: state.MissingContext, Pointer: at,
			Message: fmt.Sprintf("Step %s fills in {{%s}}, which is not set.", step.ID, f.Slot.Path),
			Fix:     fmt.Sprintf("Send the context key %s.", f.Slot.Path)}
	case f.Fix == "":
		return state.Reason{Code: state.InvariantViolation, Pointer: state.Pointer{Kind: state.AtStep, StepID: step.ID},
			Message: fmt.Sprintf("The plan has a command in step %s that takes no values: %s", step.ID, f.Text)}
	}
	return state.Reason{Code: state.InvalidContext, Pointer: at,
		Message: fmt.Sprintf("Step %s fills in {{%s}}, and its value %s.", step.ID, f.Slot.Path, f.Text),
		Fix:     fmt.Sprintf("Send %s as the context key %s.", f.Fix, f.Slot.Path)}
}
