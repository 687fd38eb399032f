package cortex

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

// ledgerOptions say how a ledger decides and what it lets through.
type ledgerOptions struct {
	Live, Dry, Observe, Inspect bool // how effects happen
	Caps                        Caps
	TTL                         time.Duration       // how long a card waits
	Classes                     map[string][]string // principals by approver class
	Env                         sexpr.Value         // what rules read as facts.env
	Lookup                      facts.Lookup
	Clock                       func() time.Time
	Logger                      *slog.Logger
}

// mainLedger is the one way in which decisions, approvals, intents and receipts come on
// record: each is checked inside the journal's single writer.
type mainLedger struct {
	opt        ledgerOptions
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
