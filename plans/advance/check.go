package advance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// Output is what an attempt at a prompt step handed in.
type Output struct {
	Notes     string        // markdown
	Artifacts []sexpr.Value // objects with a "kind"
	// Work is the run's work with the context of this output merged in, see [work.Merge]. Merge
	// itself refuses reserved keys; hand its error to [Refused].
	Work sexpr.Value
	// Measured says that Work is within its budget, see [work.Measure]: it is not measured again.
	Measured bool
}

// Capability is whether an agent has a capability, by strong evidence alone.
type Capability string

// The statuses. "" is unknown.
const (
	Unknown     Capability = "unknown"
	Available   Capability = "available"
	Unavailable Capability = "unavailable"
)

// Check says why an output does not pass, in the order of the checks: context budget, declared
// context keys, contract and criteria, capabilities, notes, assessments. None: it passes.
func Check(plan *plans.Plan, step *plans.Step, out Output, capabilities map[string]Capability) []state.Reason {
	var reasons []state.Reason
	if !out.Measured {
		if _, err := work.Measure(out.Work); err != nil {
			reasons = append(reasons, Refused(step, err))
		}
	}
	reasons = append(reasons, checkKeys(step, out.Work)...)
	reasons = append(reasons, checkContract(plan, step, out.Artifacts)...)
	reasons = append(reasons, checkCriteria(step, out)...)
	reasons = append(reasons, checkCapabilities(plan, step, capabilities)...)
	reasons = append(reasons, checkNotes(step, out.Notes)...)
	return append(reasons, checkAssessments(plan, step, out.Artifacts)...)
}

// Refused is the reason for work that [work.Merge] or [work.Measure] refused.
func Refused(step *plans.Step, err error) state.Reason {
	var key *work.KeyError
	if errors.As(err, &key) {
		return state.Reason{Code: state.InvalidContext, Pointer: state.Pointer{Kind: state.AtContextKey, Key: key.Key},
			Message: cut(err.Error()), Fix: "Leave the key out, or give it another name."}
	}
	var owner *work.OwnerError
	if errors.As(err, &owner) {
		return state.Reason{Code: state.InvalidContext, Pointer: state.Pointer{Kind: state.AtContextKey, Key: owner.Key},
			Message: cut(fmt.Sprintf("Step %s: %v.", step.ID, err)),
			Fix:     "Leave the key out. A person changes it: cortex run supply."}
	}
	return state.Reason{Code: state.ContextBudget, Pointer: state.Pointer{Kind: state.AtContextBudget},
		Message: cut(fmt.Sprintf("Step %s: %v", step.ID, err)),
		Fix:     "Hand over ids and paths in place of large or deep values."}
}

// checkKeys sees that the keys are there which the step says its output sets.
func checkKeys(step *plans.Step, w sexpr.Value) []state.Reason {
	var reasons []state.Reason
	for _, key := range step.Gives {
		if plans.Lookup(w, key).IsSym("null") {
			reasons = append(reasons, missingKey(step, key, "must set"))
		}
	}
	return reasons
}

func missingKey(step *plans.Step, key, verb string) state.Reason {
	return state.Reason{Code: state.MissingContext, Pointer: state.Pointer{Kind: state.AtContextKey, Key: key},
		Message: fmt.Sprintf("Step %s %s the context key %s, which is not set.", step.ID, verb, key),
		Fix:     fmt.Sprintf("Send the context key %s.", key)}
}

// Ready says why a step cannot begin: keys that it uses are not set.
func Ready(step *plans.Step, seen sexpr.Value) []state.Reason {
	var reasons []state.Reason
	for _, key := range step.Uses {
		if plans.Lookup(seen, key).IsSym("null") {
			reasons = append(reasons, missingKey(step, key, "uses"))
		}
	}
	return reasons
}

// checkCapabilities sees that what the plan requires is there. The step that probes for a
// capability needs none of it. No policy waives a required one.
func checkCapabilities(plan *plans.Plan, step *plans.Step, has map[string]Capability) []state.Reason {
	var reasons []state.Reason
	for _, name := range plan.Capabilities.Required {
		if step.Probe == name || has[name] == Available {
			continue
		}
		r := state.Reason{Code: state.CapabilityUnknown, Pointer: state.Pointer{Kind: state.AtCapability, Capability: name},
			Message: fmt.Sprintf("The plan requires the capability %s, and no probe or use has shown it yet.", name),
			Fix:     "Use the capability, and report the result as an observation."}
		if has[name] == Unavailable {
			r.Code = state.CapabilityUnavailable
			r.Message = fmt.Sprintf("The plan requires the capability %s, which is unavailable.", name)
			r.Fix = "Ask a person to enable it, then report a new observation."
		}
		reasons = append(reasons, r)
	}
	return reasons
}

// NotesRequired says whether a step must hand in notes: every prompt step, unless its contract
// or the step itself waives them.
func NotesRequired(step *plans.Step) bool {
	return step.By == plans.ByPrompt && step.Output == nil && !step.NotesOptional
}

func checkNotes(step *plans.Step, notes string) []state.Reason {
	if !NotesRequired(step) || strings.TrimSpace(notes) != "" {
		return nil
	}
	return []state.Reason{{Code: state.MissingNotes, Pointer: state.Pointer{Kind: state.AtStep, StepID: step.ID},
		Message: fmt.Sprintf("Step %s needs notes, and none were handed in.", step.ID),
		Fix:     "Send output.notesMarkdown: what you did or decided, what you produced, what is notable. This step alone."}}
}
