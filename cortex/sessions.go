package cortex

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
)

// mainSessions answers signals, the sessions side by side and the signals of one session
// one after another.
type mainSessions struct {
	opt        Options
	ctx        context.Context // of the engine
	j          *journal.Journal
	ledger     *mainLedger
	policies   *policyKeeper
	history    *history
	memory     *memory
	dispatcher *act.Dispatcher
	thinker    *reason.Thinker

	crowd    crowd       // who waits for an answer
	clearing atomic.Bool // intents in doubt are being cleared
	tasks    tasks       // in the background
	works    tasks       // answering signals for the one who asked, and the heartbeat

	mu      sync.Mutex
	queues  map[string][]*place         // who is inside a session, and behind them who waits
	running map[string]*answering       // signals with a dedupe key that are being answered
	workers map[string]map[*worker]bool // by session

	postponed []*Approval // answered, and not acted on for want of space
}

func newSessions(opt Options, l *mainLedger) *mainSessions {
	s := &mainSessions{opt: opt, ctx: l.ctx, j: l.j, ledger: l, queues: map[string][]*place{},
		running: map[string]*answering{}, workers: map[string]map[*worker]bool{}}
	s.tasks.stagger = opt.sim.stagger
	return s
}
