package event

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
)

// DecisionTraceAppended says how the engine came to the next step. Nothing depends on it.
type DecisionTraceAppended struct {
	ID      TraceID      `json:"traceId"`
	Entries []TraceEntry `json:"entries"`
}

// TraceEntry is one thing that the engine did on its way. Its refs are in order.
type TraceEntry = advance.Entry

// Ref names what an entry is about.
type Ref = advance.Ref

// nameOf returns what r names. An iteration is padded, so that byte order is the order of
// numbers.
func nameOf(r Ref) string {
	if r.Value != nil {
		return fmt.Sprintf("%010d", *r.Value)
	}
	return cmp.Or(r.StepID, r.LoopID, r.ConditionID)
}

func compareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(nameOf(a), nameOf(b)))
}

func checkRef(r Ref) error {
	set := 0
	for _, is := range []bool{r.StepID != "", r.LoopID != "", r.ConditionID != "", r.Value != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("stepId, loopId, conditionId, value: %w", errOneOf)
	}
	switch r.Kind {
	case "step_id":
		return form("stepId", r.StepID, stepForm)
	case "loop_id":
		return form("loopId", r.LoopID, idForm)
	case "condition_id":
		return form("conditionId", r.ConditionID, idForm)
	case "iteration":
		if r.Value == nil || *r.Value < 0 {
			return errors.New("value: want 0 or more")
		}
		return nil
	}
	return oneOf("refs.kind", r.Kind, "step_id", "loop_id", "condition_id", "iteration")
}

// NewTrace returns a trace within its budgets: the first 25 entries, summaries of at most
// 512 bytes and 8192 in all, cut and marked, refs in order. It leaves none out before one
// that it keeps.
func NewTrace(id TraceID, entries []TraceEntry) *DecisionTraceAppended {
	entries = slices.Clone(entries[:min(len(entries), MaxTraceEntries)])
	left := MaxTraceBytes
	for i := range entries {
		x := &entries[i]
		limit := min(MaxSummary, left)
		if len(x.Summary) > limit && limit < len(canon.Marker) { // no room is left, not even for the marker
			entries = entries[:i]
			break
		}
		x.Summary = canon.Truncate(x.Summary, limit)
		left -= len(x.Summary)
		x.Refs = slices.SortedFunc(slices.Values(x.Refs), compareRefs)
		x.Refs = x.Refs[:min(len(x.Refs), MaxTraceRefs)]
	}
	return &DecisionTraceAppended{ID: id, Entries: entries}
}

func (d *DecisionTraceAppended) check() error {
	if err := validID("traceId", d.ID); err != nil {
		return err
	}
	if n := len(d.Entries); n < 1 || n > MaxTraceEntries {
		return fmt.Errorf("%d entries: want 1 to %d", n, MaxTraceEntries)
	}
	total := 0
	for i, x := range d.Entries {
		if err := checkEntry(x); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		total += len(x.Summary)
	}
	if total > MaxTraceBytes {
		return fmt.Errorf("the summaries have %d bytes, at most %d are allowed", total, MaxTraceBytes)
	}
	return nil
}

func checkEntry(x TraceEntry) error {
	err := all(oneOf("kind", x.Kind, "selected_next_step", "evaluated_condition", "entered_loop", "exited_loop",
		"detected_non_tip_advance"), bounded("summary", x.Summary, MaxSummary))
	if err != nil {
		return err
	}
	if len(x.Refs) > MaxTraceRefs {
		return fmt.Errorf("%d refs: at most %d are allowed", len(x.Refs), MaxTraceRefs)
	}
	if !slices.IsSortedFunc(x.Refs, compareRefs) {
		return errors.New("the refs are not in order")
	}
	for _, r := range x.Refs {
		if err := checkRef(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *DecisionTraceAppended) key(Scope) []string { return []string{string(d.ID)} }
