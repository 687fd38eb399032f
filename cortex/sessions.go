package cortex

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// sessionOptions say how signals are answered.
type sessionOptions struct {
	Live, Observe bool
	Models        bool        // there are some to ask
	Says          bool        // replies reach the user some other way than by the outcome
	Agent         string      // the principal that asks
	Env           sexpr.Value // what rules read as facts.env
	Handlers      []Handler   // see each signal before any model does
	Depth         int         // the longest chain of feedback from one signal
	Turns         int         // of models, for one root signal
	Cost          float64     // of these, in US dollars; 0 is no limit
	Tokens        int64       // in and out; 0 is no limit
	ContextBytes  int         // of history that a model is shown
	Caps          Caps
	Logger        *slog.Logger
	Stagger       func() (wait func()) // a simulation's; nil: none
}

// mainSessions answers signals, the sessions side by side and the signals of one session
// one after another.
type mainSessions struct {
	opt        sessionOptions
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

func newSessions(opt sessionOptions, l *mainLedger) *mainSessions {
	s := &mainSessions{opt: opt, ctx: l.ctx, j: l.j, ledger: l, queues: map[string][]*place{},
		running: map[string]*answering{}, workers: map[string]map[*worker]bool{}}
	s.tasks.stagger = opt.Stagger
	return s
}

// Handler sees a signal after it is recorded and before any model does. It
// reports whether it has dealt with the signal; text, if not empty, is the
// answer. An error is the signal's answer and stops it.
type Handler func(ctx context.Context, sig perceive.Signal) (taken bool, text string, err error)
