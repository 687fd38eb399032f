package advance

import "fmt"

// Entry is one decision on the way to the step that is due.
type Entry struct {
	Kind    EntryKind `json:"kind"`
	Summary string    `json:"summary"`
	Refs    []Ref     `json:"refs,omitempty"` // by kind, then id or value
}

// EntryKind is what was decided.
type EntryKind string

// The kinds of entry. The last is for the keeper of the log.
const (
	SelectedStep       EntryKind = "selected_next_step"
	EvaluatedCondition EntryKind = "evaluated_condition"
	EnteredLoop        EntryKind = "entered_loop"
	ExitedLoop         EntryKind = "exited_loop"
	DetectedNonTip     EntryKind = "detected_non_tip_advance"
)

// Ref is what an entry is about.
type Ref struct {
	Kind        string `json:"kind"` // condition_id, iteration, loop_id or step_id
	StepID      string `json:"stepId,omitempty"`
	LoopID      string `json:"loopId,omitempty"`
	ConditionID string `json:"conditionId,omitempty"`
	Value       *int   `json:"value,omitempty"` // of an iteration, from 0
}

// The reasons why a loop ends: exactly one for each time that it was run.
const (
	ConditionFalse = "condition_false"
	MaxIterations  = "max_iterations"
)

func loopEntry(kind EntryKind, loop string, iteration int, format string, args ...any) Entry {
	return Entry{Kind: kind, Summary: fmt.Sprintf(format, args...),
		Refs: []Ref{{Kind: "iteration", Value: &iteration}, {Kind: "loop_id", LoopID: loop}}}
}
