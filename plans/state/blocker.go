package state

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// The budgets of a report, in UTF-8 bytes where texts are meant. What is over is an error: a
// report is never cut.
const (
	MaxBlockers = 10
	MaxMessage  = 512
	MaxFix      = 1024
)

// Pointer says what a blocker is about. Its kind tells which other member is set.
type Pointer struct {
	Kind        PointerKind `json:"kind"`
	Key         string      `json:"key,omitempty"`
	ContractRef string      `json:"contractRef,omitempty"`
	Capability  string      `json:"capability,omitempty"`
	StepID      string      `json:"stepId,omitempty"`
}

// PointerKind is what a pointer points at.
type PointerKind string

// The kinds of pointer.
const (
	AtContextKey    PointerKind = "context_key"
	AtContextBudget PointerKind = "context_budget"
	AtContract      PointerKind = "output_contract"
	AtCapability    PointerKind = "capability"
	AtStep          PointerKind = "workflow_step"
)

// Blocker is a reason as a blocked node shows it.
type Blocker struct {
	Code         string  `json:"code"`
	Pointer      Pointer `json:"pointer"`
	Message      string  `json:"message"`
	SuggestedFix string  `json:"suggestedFix,omitempty"`
}

// Blocker is the reason as a blocker.
func (r Reason) Blocker() Blocker {
	return Blocker{Code: codes[r.Code], Pointer: r.Pointer, Message: r.Message, SuggestedFix: r.Fix}
}

// Report is the blockers of reasons in byte order of code, kind of pointer and what it points
// at. It is an error if there are none or more than ten, or if one is over its budget.
func Report(reasons []Reason) ([]Blocker, error) {
	report := make([]Blocker, len(reasons))
	for i, r := range reasons {
		if !r.Code.Known() {
			return nil, fmt.Errorf("reason %q: not one of the closed set", r.Code)
		}
		report[i] = r.Blocker()
	}
	slices.SortFunc(report, compare)
	return report, CheckReport(report)
}

func compare(a, b Blocker) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Pointer.Kind, b.Pointer.Kind),
		cmp.Compare(a.Pointer.at(), b.Pointer.at()), cmp.Compare(a.Message, b.Message))
}

// at is what the pointer points at; of the four at most one is set.
func (p Pointer) at() string { return p.Key + p.ContractRef + p.Capability + p.StepID }

var contextKey = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

func (p Pointer) check() error {
	only := Pointer{Kind: p.Kind}
	fits := true
	switch p.Kind {
	case AtContextKey:
		only.Key, fits = p.Key, contextKey.MatchString(p.Key)
	case AtContextBudget:
	case AtContract:
		only.ContractRef, fits = p.ContractRef, p.ContractRef != ""
	case AtCapability:
		only.Capability, fits = p.Capability, p.Capability != ""
	case AtStep:
		only.StepID, fits = p.StepID, stepID.MatchString(p.StepID)
	default:
		return fmt.Errorf("pointer of kind %q", p.Kind)
	}
	if only != p || !fits {
		return fmt.Errorf("pointer of kind %s: %q is not what it points at", p.Kind, p.at())
	}
	return nil
}

// CheckReport returns what is wrong with recorded blockers: their number, order, codes, pointers or
// sizes.
func CheckReport(report []Blocker) error {
	if len(report) == 0 || len(report) > MaxBlockers {
		return fmt.Errorf("%d blockers, expected 1 to %d", len(report), MaxBlockers)
	}
	if !slices.IsSortedFunc(report, compare) {
		return errors.New("blockers: expected byte order")
	}
	for _, b := range report {
		known := false
		for _, name := range codes {
			known = known || name == b.Code
		}
		if !known {
			return fmt.Errorf("blocker %q: not one of the closed set", b.Code)
		}
		if err := b.Pointer.check(); err != nil {
			return fmt.Errorf("blocker %s: %w", b.Code, err)
		}
		if n := len(b.Message); n == 0 || n > MaxMessage {
			return fmt.Errorf("blocker %s: a message of %d bytes, expected 1 to %d", b.Code, n, MaxMessage)
		}
		if n := len(b.SuggestedFix); n > MaxFix {
			return fmt.Errorf("blocker %s: a fix of %d bytes, expected at most %d", b.Code, n, MaxFix)
		}
	}
	return nil
}

// Block is why an attempt did not pass, on record.
type Block struct {
	Reason Code // the first reason; it tells whether a retry can help
	// Retry is the attempt that may try again; "" if the reason is terminal.
	Retry      string
	Validation string // the record of the validation, "" if none was made
	Blockers   []Blocker
}

func checkBlock(b Block) error {
	if !b.Reason.Known() {
		return fmt.Errorf("blocked: reason %q is not one of the closed set", b.Reason)
	}
	if b.Reason.Terminal() != (b.Retry == "") {
		return fmt.Errorf("blocked: %s with the retry attempt %q, expected one exactly if it is not terminal",
			b.Reason, b.Retry)
	}
	return CheckReport(b.Blockers)
}
