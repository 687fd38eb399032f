package record

import "github.com/opencortex-go/cortex/reason"

// Decision is what package reason decided, and what the engine recorded beside it.
// It is immutable.
type Decision struct {
	reason.Decision
	ID       uint64 // sequence number of its record; 0 if it was not recorded
	Approval string // token of the card that an ask made or joined; "" without one
}
