package cortex

import (
	"context"
	"sync/atomic"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// mainLedger is the one way in which decisions, approvals, intents and receipts come on
// record: each is checked inside the journal's single writer.
type mainLedger struct {
	opt        Options
	j          *journal.Journal
	ctx        context.Context // of the engine
	clock      *clock
	history    *history
	policies   *policyKeeper
	dispatcher *act.Dispatcher
	board      atomic.Pointer[board]
	epoch      uint64 // counts the runs of engines on this record
	killed     atomic.Bool
	closed     atomic.Bool
}
