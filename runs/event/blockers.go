package event

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Code is the code of a blocker.
type Code string

// The codes of blockers.
const (
	UserOnlyDependency        Code = "USER_ONLY_DEPENDENCY"
	MissingRequiredOutput     Code = "MISSING_REQUIRED_OUTPUT"
	InvalidRequiredOutput     Code = "INVALID_REQUIRED_OUTPUT"
	MissingRequiredNotes      Code = "MISSING_REQUIRED_NOTES"
	MissingContextKey         Code = "MISSING_CONTEXT_KEY"
	ContextBudgetExceeded     Code = "CONTEXT_BUDGET_EXCEEDED"
	AssessmentFollowup        Code = "ASSESSMENT_FOLLOWUP_REQUIRED"
	CapabilityUnknown         Code = "REQUIRED_CAPABILITY_UNKNOWN"
	CapabilityUnavailable     Code = "REQUIRED_CAPABILITY_UNAVAILABLE"
	InvariantViolation        Code = "INVARIANT_VIOLATION"
	StorageCorruptionDetected Code = "STORAGE_CORRUPTION_DETECTED"
)

// Pointer says what a blocker is about. Only the members of its kind are set.
type Pointer struct {
	Kind       string `json:"kind"` // context_key, context_budget, output_contract, capability, workflow_step
	Key        string `json:"key,omitempty"`
	Contract   string `json:"contractRef,omitempty"`
	Capability string `json:"capability,omitempty"`
	Step       string `json:"stepId,omitempty"`
}

// Blocker is one thing that keeps a run from going on.
type Blocker struct {
	Code    Code    `json:"code"`
	Pointer Pointer `json:"pointer"`
	Message string  `json:"message"`
	Fix     string  `json:"suggestedFix,omitempty"`
}

// Blockers is what keeps a run from going on: 1 to 10, in order.
type Blockers struct {
	List []Blocker `json:"blockers"`
}

// NewBlockers puts them in order and checks them. More than ten are an error; none is left
// out in silence.
func NewBlockers(list []Blocker) (*Blockers, error) {
	b := &Blockers{List: slices.SortedFunc(slices.Values(list), compareBlockers)}
	return b, b.Check()
}

// compareBlockers orders by code, kind of pointer and what it points to, byte by byte.
func compareBlockers(a, b Blocker) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Pointer.Kind, b.Pointer.Kind),
		cmp.Compare(a.Pointer.Key, b.Pointer.Key), cmp.Compare(a.Pointer.Contract, b.Pointer.Contract),
		cmp.Compare(a.Pointer.Capability, b.Pointer.Capability), cmp.Compare(a.Pointer.Step, b.Pointer.Step))
}

// Check returns the first thing that is wrong with it.
func (b *Blockers) Check() error {
	if n := len(b.List); n < 1 || n > MaxBlockers {
		return fmt.Errorf("%d blockers: want 1 to %d", n, MaxBlockers)
	}
	if !slices.IsSortedFunc(b.List, compareBlockers) {
		return errors.New("the blockers are not in order")
	}
	for i, x := range b.List {
		if err := x.check(); err != nil {
			return fmt.Errorf("blocker %d: %w", i, err)
		}
	}
	return nil
}

func (x Blocker) check() error {
	err := all(oneOf("code", x.Code, UserOnlyDependency, MissingRequiredOutput, InvalidRequiredOutput,
		MissingRequiredNotes, MissingContextKey, ContextBudgetExceeded, AssessmentFollowup, CapabilityUnknown,
		CapabilityUnavailable, InvariantViolation, StorageCorruptionDetected),
		x.Pointer.check(), bounded("message", x.Message, MaxMessage))
	if err != nil || x.Fix == "" {
		return err
	}
	return bounded("suggestedFix", x.Fix, MaxFix)
}

func (p Pointer) check() error {
	want := Pointer{Kind: p.Kind}
	var err error
	switch p.Kind {
	case "context_key":
		want.Key, err = p.Key, form("key", p.Key, contextForm)
	case "context_budget":
	case "output_contract":
		want.Contract, err = p.Contract, bounded("contractRef", p.Contract, 128)
	case "capability":
		want.Capability, err = p.Capability, oneOf("capability", p.Capability, "delegation", "web_browsing")
	case "workflow_step":
		want.Step, err = p.Step, form("stepId", p.Step, stepForm)
	default:
		return oneOf("pointer.kind", p.Kind, "context_key", "context_budget", "output_contract", "capability",
			"workflow_step")
	}
	if err == nil && p != want {
		err = fmt.Errorf("a pointer of kind %q has members of another kind", p.Kind)
	}
	return err
}
