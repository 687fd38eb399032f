package cortex

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Engine judges, remembers and acts. It is safe for concurrent use; sessions
// run side by side, and the signals of one session one after another.
type Engine struct {
	opt        Options
	j          *journal.Journal
	store      journal.Store // under it, and under what stands in front of that
	history    *history
	memory     *memory // of sessions
	ledger     *mainLedger
	policies   *policyKeeper
	reload     atomic.Pointer[error] // of the last reload, if it failed
	started    time.Time
	dispatcher *act.Dispatcher

	clock  *clock
	ctx    context.Context // of background work; canceled by Close
	cancel context.CancelCauseFunc

	retainer  *retainer
	integrity *integrityKeeper

	sessions *mainSessions
}

// Open makes an engine of the record in st, which it closes in the end. It loads the
// rules, and takes up what an earlier run left: approvals that were answered and not used
// go on, intents without a receipt are in doubt. The context bounds opening alone.
//
// Options.Dir is the folder of the record, where checkpoints are kept; "" for one in memory.
func Open(ctx context.Context, opt Options, st journal.Store) (*Engine, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	kept, err := newMirror(newLately(st, tableVersion, 1<<16),
		string([]byte{tableGrant, tableOpen, tableIntent, tableDoing}))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cortex: record in %q: %w", opt.Dir, err), st.Close())
	}
	var front journal.Store = kept
	if opt.wrap != nil {
		front = opt.wrap(kept)
	}
	j, err := journal.Open(front, journal.Options{Clock: opt.Clock, Queue: opt.sizes.queue, Group: opt.sizes.group})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cortex: record in %q: %w", opt.Dir, err), st.Close())
	}
	e := &Engine{opt: opt, j: j, store: st}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	e.ledger = &mainLedger{opt: opt.forLedger(), j: j, ctx: e.ctx}
	e.sessions = newSessions(opt.forSessions(), e.ledger)
	dir := opt.Dir
	if opt.mount != nil {
		dir = "" // nothing of the operating system's is beside it
	}
	e.integrity = &integrityKeeper{opt: opt.Checkpoints, dir: dir, inspect: opt.Inspect, logger: opt.Logger, ctx: e.ctx,
		j: j, store: st, now: opt.Clock}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) start(ctx context.Context) (err error) {
	if e.memory, err = newMemory(e.opt.Caps.Memory); err != nil {
		return err
	}
	if e.history, err = newHistory(e.j, e.memory, e.opt.Caps); err != nil {
		return err
	}
	e.clock = &clock{wall: e.opt.Clock, uptime: e.opt.Uptime, j: e.j, jumped: e.history.jumped, logger: e.opt.Logger}
	if err := openClock(e.clock); err != nil {
		return err
	}
	if err := e.integrity.known(ctx); err != nil {
		return err
	}
	e.opt.Env = surroundings(e.opt)
	if e.policies, err = newPolicies(e.opt.forPolicy(), e.j); err != nil {
		return err
	}
	e.dispatcher = act.NewDispatcher(e.ledger, e.policies)
	e.ledger.opt, e.ledger.clock, e.ledger.history = e.opt.forLedger(), e.clock, e.history
	e.ledger.policies, e.ledger.dispatcher = e.policies, e.dispatcher
	e.sessions.opt, e.sessions.policies, e.sessions.history = e.opt.forSessions(), e.policies, e.history
	e.sessions.memory, e.sessions.dispatcher = e.memory, e.dispatcher
	e.retainer = &retainer{opt: e.opt.Retain, logger: e.opt.Logger, j: e.j, store: e.store, history: e.history,
		now: e.opt.Clock, policy: func() sexpr.Digest { return e.policies.current().gates.Hash() }}
	e.dispatcher.Clock, e.dispatcher.Logger = e.clock.steady, e.opt.Logger
	e.sessions.thinker = &reason.Thinker{
		Providers: e.opt.Providers, Timeout: e.opt.ThinkTimeout, Identity: e.opt.Identity,
		Consensus: e.opt.Consensus, Health: &reason.Health{}, Logger: e.opt.Logger,
	}
	e.policies.check = func(book *rules.Rulebook) error { return e.sessions.thinker.Check(book) }
	kill, err := e.j.Get(key(tableSetting, "kill"))
	if err != nil {
		return err
	}
	e.ledger.killed.Store(kill != nil)
	e.started = e.ledger.now()
	if err := e.ledger.recallBoard(); err != nil {
		return err
	}
	if e.opt.Inspect {
		return e.policies.recallPolicy(ctx)
	}
	if e.integrity.onDisk() {
		e.integrity.clearUnfinished()
	}
	if err := e.ledger.afterLoss(ctx); err != nil {
		return err
	}
	if err := e.nextEpoch(ctx); err != nil {
		return err
	}
	if err := e.policies.loadPolicy(ctx); err != nil {
		return err
	}
	e.sessions.works.run(e.beat)
	if opt := e.opt.Checkpoints; e.integrity.onDisk() && (opt.Every > 0 || opt.After > 0) {
		e.sessions.works.run(e.integrity.sign)
	}
	if e.integrity.onDisk() {
		e.sessions.works.run(e.integrity.scrub)
	}
	return e.sessions.takeUp(ctx)
}

// surroundings adds to facts.env what actuators say of where they run, such as
// the shell's folder and variables, so that a command is judged as it will run.
// What the embedder set stands.
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

// nextEpoch counts this run, so that intents of earlier runs can be told apart.
func (e *Engine) nextEpoch(ctx context.Context) error {
	noted := func() {}
	defer func() { noted() }()
	return e.j.Finish(ctx, func(tx *journal.Tx) error {
		raw, err := tx.Get(key(tableSetting, "epoch"))
		if err != nil {
			return err
		}
		e.ledger.epoch = asNumber(raw) + 1
		tx.Set(key(tableSetting, "epoch"), number(e.ledger.epoch))
		if err := makeCodeKey(tx); err != nil {
			return err
		}
		if err := recountOpen(tx); err != nil {
			return err
		}
		if noted, err = e.clock.note(tx); err != nil {
			return err
		}
		_, err = tx.Append(kindOpen, "", sexpr.Plist("epoch", sexpr.Int64(int64(e.ledger.epoch)), "live", sexpr.Bool(e.opt.Live),
			"observe", sexpr.Bool(e.opt.Observe)))
		return err
	})
}

// Close cancels all work, waits for it to end, and closes the record. What was
// accepted and not yet answered is taken up when an engine is next opened on the
// record. Calls that come later return [ErrClosed].
func (e *Engine) Close() error {
	if e.ledger.closed.Swap(true) {
		return nil
	}
	e.cancel(ErrClosed)
	e.sessions.tasks.close()
	e.sessions.works.close()
	err := errors.Join(e.sessions.tasks.wait(context.Background()), e.sessions.works.wait(context.Background()))
	if e.dispatcher != nil {
		e.dispatcher.Close() // an actuator that was given up on still brings its receipt
	}
	return errors.Join(err, e.j.Close())
}

// Wait returns when nothing runs in the background: every approval that was
// answered has been acted on.
func (e *Engine) Wait(ctx context.Context) error { return e.sessions.tasks.wait(ctx) }

// Journal returns the record for reading. What it returns cannot append: a record
// that something else wrote would count as the engine's own.
func (e *Engine) Journal() journal.View { return e.j.View() }

// Answers waits for one round trip through what writes the record. A record that
// can no longer be written answers too; the only error is the cause of ctx.
func (e *Engine) Answers(ctx context.Context) error {
	_ = e.j.Update(ctx, func(*journal.Tx) error { return nil })
	return context.Cause(ctx)
}

// Policy returns the policy in force.
func (e *Engine) Policy() skills.Policy { return e.policies.current().gates }

// Subscribe returns the records that are written from now on, as they become
// durable. The caller's pace decides: a slow one falls behind and loses nothing.
// It ends with ctx or the engine.
func (e *Engine) Subscribe(ctx context.Context) iter.Seq2[Record, error] {
	return e.j.Subscribe(ctx, e.j.Last()+1)
}
