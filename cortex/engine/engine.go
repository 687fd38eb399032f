package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/drive"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/internal/thoughts"
	"github.com/opencortex-go/cortex/cortex/internal/veil"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Engine judges, remembers and acts. It is safe for concurrent use; sessions
// run side by side, and the signals of one session one after another.
type Engine struct {
	opt        Options
	j          *journal.Journal
	veil       *veil.Veil    // over j
	store      journal.Store // under it, and under what stands in front of that
	history    *history.History
	memory     *admission.Memory // of sessions
	ledger     *ledger.Ledger
	policies   *policy.Keeper
	reload     atomic.Pointer[error] // of the last reload, if it failed
	started    time.Time
	dispatcher *act.Dispatcher

	clock  *clock.Clock
	ctx    context.Context // of background work; canceled by Close
	cancel context.CancelCauseFunc

	retainer  *retention.Keeper
	followers []*follower // of what embedders want to know
	integrity *integrity.Keeper

	sessions *session.Sessions
	runs     *drive.Keeper
}

// Open makes an engine over the record in st. Close closes st. Open loads the rules and
// resumes what an earlier run left: it continues with approvals that were answered and not
// used, and intents without a receipt are in doubt. ctx bounds only the opening.
//
// Options.Dir is the folder of the record, where checkpoints are kept; "" for a record in
// memory.
func Open(ctx context.Context, opt Options, st journal.Store) (*Engine, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	kept, err := record.NewOpenTables(record.NewLately(st, 1<<16, byte(record.TableVersion),
		byte(record.TableLog), byte(record.TableSetting)),
		byte(record.TableGrant), byte(record.TableOpen), byte(record.TableIntent), byte(record.TableDoing))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cortex: record in %q: %w", opt.Dir, err), st.Close())
	}
	var front journal.Store = kept
	if opt.hooks.Wrap != nil {
		front = opt.hooks.Wrap(kept)
	}
	runs := drive.New(opt.driver(), opt.Live, opt.Agent)
	front = &record.Woken{Store: front, Runs: runs.Due}
	hidden := veil.New(opt.Keys, opt.FindSecrets)
	opt.Logger = hidden.Logger(opt.Logger)
	j, err := journal.Open(front, journal.Options{Clock: opt.Clock.Now, Queue: opt.hooks.Queue, Group: opt.hooks.Group,
		Veil: hidden})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cortex: record in %q: %w", opt.Dir, err), st.Close())
	}
	e := &Engine{opt: opt, j: j, store: st, veil: hidden, runs: runs}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	e.ledger = &ledger.Ledger{Opt: opt.forLedger(), J: j, Ctx: e.ctx}
	e.sessions = session.New(opt.forSessions(), e.ledger)
	dir := opt.Dir
	if opt.mount != nil {
		dir = "" // nothing of the operating system's is beside it
	}
	e.integrity = &integrity.Keeper{Opt: opt.Checkpoints, Dir: dir, Inspect: opt.Inspect, Logger: opt.Logger, Ctx: e.ctx,
		J: j, Store: st, Now: opt.Clock.Now}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// OpenHooked is [Open] for the tests of this module. Programs call Open: only packages of
// cortex can name Hooks.
func OpenHooked(ctx context.Context, opt Options, st journal.Store, h *hooks.Hooks) (*Engine, error) {
	opt.hooks = *h
	return Open(ctx, opt, st)
}

func (e *Engine) start(ctx context.Context) (err error) {
	if e.memory, err = admission.NewMemory(e.opt.Caps.Memory); err != nil {
		return err
	}
	if e.history, err = history.New(e.j, e.memory, e.opt.Caps); err != nil {
		return err
	}
	e.clock = &clock.Clock{Wall: e.opt.Clock.Now, Uptime: e.opt.Clock.Uptime, J: e.j, Jumped: e.history.Jumped,
		Logger: e.opt.Logger}
	if err := clock.OpenClock(e.clock); err != nil {
		return err
	}
	if err := e.integrity.Known(ctx); err != nil {
		return err
	}
	e.opt.Env = surroundings(e.opt)
	if e.policies, err = policy.New(e.opt.forPolicy(), e.j); err != nil {
		return err
	}
	e.dispatcher = act.NewDispatcher(e.ledger, e.policies)
	e.ledger.Opt, e.ledger.Clock, e.ledger.History = e.opt.forLedger(), e.clock, e.history
	e.ledger.Policies, e.ledger.Dispatcher = e.policies, e.dispatcher
	e.sessions.Opt, e.sessions.Policies, e.sessions.History = e.opt.forSessions(), e.policies, e.history
	e.sessions.Memory, e.sessions.Dispatcher = e.memory, e.dispatcher
	e.sessions.Opt.Key = e.veil.Key
	e.retainer = &retention.Keeper{Opt: e.opt.Retain, Logger: e.opt.Logger, J: e.j, Store: e.store, History: e.history,
		Keys: e.opt.Keys, Now: e.opt.Clock.Now, Policy: func() sexpr.Digest { return e.policies.Current().Gates.Hash() }}
	e.dispatcher.Clock, e.dispatcher.Logger, e.dispatcher.Vault = e.clock.Steady, e.opt.Logger, e.opt.Vault
	e.sessions.Thinker = &model.Thinker{
		Providers: e.opt.Models.Providers, Timeout: e.opt.Models.Timeout, Identity: e.opt.Models.Identity,
		Consensus: e.opt.Models.Consensus, Health: &model.Health{}, Logger: e.opt.Logger,
	}
	if e.opt.Capabilities != nil {
		e.sessions.Thinker.Dialects = []model.Dialect{e.opt.Capabilities.Block}
	}
	if e.sessions.Thoughts, err = thoughts.New(e.opt.Traces, e.veil, e.opt.Keys, e.j); err != nil {
		return err
	}
	e.policies.Check = func(book *rules.Rulebook) error {
		return errors.Join(e.sessions.Thinker.Check(book), e.veil.Declare(book.Tools()))
	}
	kill, err := e.j.Get(record.TableSetting.Key(record.SettingKill))
	if err != nil {
		return err
	}
	e.ledger.Killed.Store(kill != nil)
	e.started = e.ledger.Now()
	if err := e.ledger.RecallBoard(); err != nil {
		return err
	}
	if e.opt.Capabilities != nil {
		if err := e.opt.Capabilities.Attach(e.Hosts()); err != nil {
			return err
		}
	}
	e.observe()
	if e.opt.Inspect {
		if err := e.policies.RecallPolicy(ctx); err != nil || e.opt.Keys == nil {
			return err
		}
		return e.veil.Declare(e.policies.Current().Book.Tools())
	}
	if err := e.veil.Check(e.j); err != nil {
		return err
	}
	if e.integrity.OnDisk() {
		e.integrity.ClearUnfinished()
	}
	if err := e.ledger.AfterLoss(ctx); err != nil {
		return err
	}
	if err := e.nextEpoch(ctx); err != nil {
		return err
	}
	if err := e.policies.LoadPolicy(ctx); err != nil {
		return err
	}
	if err := e.ledger.Seed(ctx); err != nil {
		return err
	}
	e.sessions.Works.Run(e.beat)
	if opt := e.opt.Checkpoints; e.integrity.OnDisk() && (opt.Every > 0 || opt.After > 0) {
		e.sessions.Works.Run(e.integrity.Sign)
	}
	if e.integrity.OnDisk() {
		e.sessions.Works.Run(e.integrity.Scrub)
	}
	if err := e.sessions.TakeUp(ctx); err != nil {
		return err
	}
	return e.runs.Begin(ctx, e.ledger, e.dispatcher, e.Hosts().Logs(), e.sessions.Tasks.Run)
}

// surroundings adds to facts.env what actuators say about where they run, such as the
// shell's folder and variables, so that the rules judge a command as it will run. What the
// embedder set takes precedence.
func surroundings(opt Options) sexpr.Value {
	env := opt.Env
	for _, t := range opt.Tools {
		a, ok := t.Actuator.(interface{ Env() sexpr.Value })
		if !ok {
			continue
		}
		for kv := a.Env().Items(); len(kv) > 1; kv = kv[2:] {
			if _, set := env.Get(kv[0].Text()); !set {
				env = env.With(kv[0].Text(), kv[1])
			}
		}
	}
	return env
}

// nextEpoch numbers this run, so that intents of earlier runs can be told apart.
func (e *Engine) nextEpoch(ctx context.Context) error {
	noted := func() {}
	defer func() { noted() }()
	return e.j.Finish(ctx, func(tx *journal.Tx) error {
		raw, err := tx.Get(record.TableSetting.Key(record.SettingEpoch))
		if err != nil {
			return err
		}
		e.ledger.Epoch = record.AsNumber(raw) + 1
		tx.Set(record.TableSetting.Key(record.SettingEpoch), record.Number(e.ledger.Epoch))
		if err := ledger.MakeCodeKey(tx); err != nil {
			return err
		}
		if err := logs.MakeTicketKeys(tx); err != nil {
			return err
		}
		if err := approval.RecountOpen(tx); err != nil {
			return err
		}
		if noted, err = e.clock.Note(tx); err != nil {
			return err
		}
		_, err = record.Append(tx, "", record.Opened{Epoch: e.ledger.Epoch, Live: e.opt.Live, Observe: e.opt.Observe})
		return err
	})
}

// Close cancels all work, waits for it to end, and closes the record. Signals that were
// accepted and not yet answered are answered when an engine next opens the record. Later
// calls return [ErrClosed].
func (e *Engine) Close() error {
	if e.ledger.Closed.Swap(true) {
		return nil
	}
	e.cancel(ledger.ErrClosed)
	e.sessions.Tasks.Close()
	e.sessions.Works.Close()
	err := errors.Join(e.sessions.Tasks.Wait(context.Background()), e.sessions.Works.Wait(context.Background()))
	if e.dispatcher != nil {
		e.dispatcher.Close() // an actuator that was given up on still brings its receipt
	}
	for _, f := range e.followers {
		f.close(e.j.Last())
	}
	return errors.Join(err, e.j.Close())
}

// Journal returns the record for reading. It cannot append, because the engine would take
// records written by others for its own.
func (e *Engine) Journal() journal.View { return e.j.View() }

// follow returns the records from now on, as they become durable. The caller reads at its
// own pace; a slow one falls behind and loses nothing. It ends with ctx or the engine.
func (e *Engine) follow(ctx context.Context) iter.Seq2[Record, error] {
	return e.j.Subscribe(ctx, e.j.Last()+1)
}
