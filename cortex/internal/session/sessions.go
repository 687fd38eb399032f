package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/thoughts"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// Options say how signals are answered.
type Options struct {
	Live, Observe bool
	Models        bool        // there are some to ask
	Says          bool        // replies reach the user some other way than by the outcome
	Agent         string      // the principal that asks
	Env           sexpr.Value // what rules read as facts.env
	Handlers      []Handler   // see each signal before any model does
	Depth         int         // the longest chain of feedback from one signal
	Turns         int         // of models, for one root signal
	Cost          float64     // of models, in US dollars; 0 sets no limit
	Tokens        int64       // in and out; 0 sets no limit
	ContextBytes  int         // of history that a model is shown
	// Context is what a model is shown beside the history; nil for nothing.
	Context func(ctx context.Context, session string) (string, error)
	Caps    admission.Caps
	Logger  *slog.Logger
	Key     func(key string) string // a dedupe key as it may be on record; nil: as it is
	Stagger func() (wait func())    // a simulation's; nil: none
}

// Sessions answers signals, the sessions side by side and the signals of one session
// one after another.
type Sessions struct {
	Opt        Options
	ctx        context.Context // of the engine
	j          *journal.Journal
	ledger     *ledger.Ledger
	Policies   *policy.Keeper
	History    *history.History
	Memory     *admission.Memory
	Dispatcher *act.Dispatcher
	Thinker    *model.Thinker
	Thoughts   *thoughts.Keeper // of what is asked of models; nil keeps nothing of it

	waiting  admission.Waiting // who waits for an answer
	clearing atomic.Bool       // intents in doubt are being cleared
	Tasks    tasks             // in the background
	Works    tasks             // answering signals for the one who asked, and the heartbeat

	Mu      sync.Mutex
	Queues  map[string][]*Waiter        // who is inside a session, and behind them who waits
	running map[string]*answering       // signals with a dedupe key that are being answered
	Workers map[string]map[*worker]bool // by session

	postponed []*approval.Approval // answered, and not acted on for want of space
}

// New returns the sessions of an engine that records in l.
func New(opt Options, l *ledger.Ledger) *Sessions {
	s := &Sessions{Opt: opt, ctx: l.Ctx, j: l.J, ledger: l, Queues: map[string][]*Waiter{},
		running: map[string]*answering{}, Workers: map[string]map[*worker]bool{}}
	s.Tasks.stagger = opt.Stagger
	return s
}

// Handler sees a signal after it is recorded and before any model does. It reports whether
// it has taken the signal; text, if not empty, is the answer. An error is the signal's
// answer and ends its work.
type Handler func(ctx context.Context, sig perceive.Signal) (taken bool, text string, err error)
