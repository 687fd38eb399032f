package record

import (
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
)

// Decision is what package reason decided, and what the engine recorded beside it.
// It is immutable.
type Decision struct {
	reason.Decision
	ID       uint64 // sequence number of its record; 0 if it was not recorded
	Approval string // token of the card that an ask made or joined; "" without one
}

// DecisionFrom reads the decision in a record.
func DecisionFrom(rec journal.Record) (*Decision, error) {
	if rec.Kind != KindDecision {
		return nil, fmt.Errorf("record %d is of the kind %s, and not a decision", rec.Seq, rec.Kind)
	}
	v, _ := rec.Body.Get("decision")
	d, err := reason.DecodeDecision(v)
	if err != nil {
		return nil, fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	return &Decision{Decision: *d, ID: rec.Seq}, nil
}
