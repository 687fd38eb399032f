package advance

import (
	"fmt"

	"github.com/opencortex-go/cortex/plans/canon"
)

// The budgets of one trace event; summaries are counted in UTF-8 bytes.
const (
	MaxEntries   = 25
	MaxSummary   = 512
	MaxSummaries = 8192
)

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
	Kind   string `json:"kind"` // iteration, loop_id or step_id
	LoopID string `json:"loopId,omitempty"`
	StepID string `json:"stepId,omitempty"`
	Value  *int   `json:"value,omitempty"` // of an iteration
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

// Bound keeps a trace within the budgets of one event: the first 25 entries in their order,
// summaries cut with a marker.
func Bound(trace []Entry) []Entry {
	var out []Entry
	left := MaxSummaries
	for _, e := range trace[:min(len(trace), MaxEntries)] {
		if left < len(canon.Marker) {
			break
		}
		e.Summary = canon.Truncate(e.Summary, min(MaxSummary, left))
		left -= len(e.Summary)
		out = append(out, e)
	}
	return out
}
