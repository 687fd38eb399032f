package cortex

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Engine judges, remembers and acts. It is safe for concurrent use; sessions
// run side by side, and the signals of one session one after another.
type Engine struct {
	opt        Options
	j          *journal.Journal
	store      journal.Store // under it, and under what stands in front of that
	history    *history
	memory     *memory // of sessions
	policy     atomic.Pointer[policy]
	board      atomic.Pointer[board]
	reload     atomic.Pointer[error] // of the last reload, if it failed
	started    time.Time
	basic      *act.Registry // the tools that need no plugin
	dispatcher *act.Dispatcher
	thinker    *reason.Thinker
	epoch      uint64 // counts the runs of engines on this record

	clock    *clock
	crowd    crowd       // who waits for an answer
	clearing atomic.Bool // intents in doubt are being cleared

	killed atomic.Bool
	closed atomic.Bool

	ctx    context.Context // of background work; canceled by Close
	cancel context.CancelCauseFunc
	tasks  tasks // in the background
	works  tasks // answering signals for the one who asked, and the heartbeat

	retaining  sync.Mutex // held by anyone who removes old records
	retainedAt time.Time  // when a heartbeat last did, under retaining

	signing  sync.Mutex            // held by anyone who makes a checkpoint
	signed   atomic.Uint64         // the record of the newest checkpoint of this run
	scrubbed atomic.Pointer[Scrub] // how far the check in the background has come

	mu       sync.Mutex
	sessions map[string][]*place         // who is inside a session, and behind them who waits
	running  map[string]*answering       // signals with a dedupe key that are being answered
	workers  map[string]map[*worker]bool // by session

	followers []*follower // of what embedders want to know

	postponed []*Approval // answered, and not acted on for want of space
}

// Open opens or makes the record in Options.Dir, loads the rules, and takes up
// what an earlier run left: approvals that were answered and not used go on,
// intents without a receipt are in doubt. The context bounds opening alone.
func Open(ctx context.Context, opt Options) (*Engine, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if opt.Dir != "" {
		if opt.Dir, err = filepath.Abs(opt.Dir); err != nil {
			return nil, err
		}
	}
	open := store.Open
	if opt.sim.open != nil {
		open = opt.sim.open
	}
	st, err := open(opt.Dir, store.Options{Logger: opt.Logger, Disk: opt.disk, Segment: opt.sizes.segment,
		Reserve: opt.Reserve, ReadOnly: opt.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("cortex: record in %q: %w", opt.Dir, err)
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
	e := &Engine{opt: opt, j: j, store: st, sessions: map[string][]*place{}, running: map[string]*answering{},
		workers: map[string]map[*worker]bool{}}
	e.tasks.stagger = opt.sim.stagger
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) start(ctx context.Context) (err error) {
	if e.memory, err = newMemory(e.opt.Caps.Memory); err != nil {
		return err
	}
	if e.history, err = newHistory(e.j, e.memory); err != nil {
		return err
	}
	if err := e.recallClock(); err != nil {
		return err
	}
	if err := e.known(ctx); err != nil {
		return err
	}
	if e.basic, err = act.NewRegistry(append([]act.Tool{act.Reply(e.say)}, e.opt.Tools...)...); err != nil {
		return err
	}
	e.opt.Env = surroundings(e.opt)
	e.dispatcher = act.NewDispatcher(recorder{e}, toolbox{e})
	e.dispatcher.Clock, e.dispatcher.Logger = e.steady, e.opt.Logger
	e.thinker = &reason.Thinker{
		Providers: e.opt.Providers, Timeout: e.opt.ThinkTimeout, Identity: e.opt.Identity,
		Consensus: e.opt.Consensus, Health: &reason.Health{}, Logger: e.opt.Logger,
	}
	kill, err := e.j.Get(key(tableSetting, "kill"))
	if err != nil {
		return err
	}
	e.killed.Store(kill != nil)
	e.started = e.now()
	if err := e.recallBoard(); err != nil {
		return err
	}
	e.observe()
	if e.opt.Inspect {
		return e.recallPolicy(ctx)
	}
	if e.onDisk() {
		e.clearUnfinished()
	}
	if err := e.afterLoss(ctx); err != nil {
		return err
	}
	if err := e.nextEpoch(ctx); err != nil {
		return err
	}
	if err := e.loadPolicy(ctx); err != nil {
		return err
	}
	e.works.run(e.beat)
	if opt := e.opt.Checkpoints; e.onDisk() && (opt.Every > 0 || opt.After > 0) {
		e.works.run(e.sign)
	}
	if e.onDisk() {
		e.works.run(e.scrub)
	}
	return e.takeUp(ctx)
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
		e.epoch = asNumber(raw) + 1
		tx.Set(key(tableSetting, "epoch"), number(e.epoch))
		if err := makeCodeKey(tx); err != nil {
			return err
		}
		if err := recountOpen(tx); err != nil {
			return err
		}
		if noted, err = e.noteClock(tx); err != nil {
			return err
		}
		_, err = tx.Append(kindOpen, "", sexpr.Plist("epoch", sexpr.Int64(int64(e.epoch)), "live", sexpr.Bool(e.opt.Live),
			"observe", sexpr.Bool(e.opt.Observe)))
		return err
	})
}

// Close cancels all work, waits for it to end, and closes the record. What was
// accepted and not yet answered is taken up when an engine is next opened on the
// record. Calls that come later return [ErrClosed].
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	e.cancel(ErrClosed)
	e.tasks.close()
	e.works.close()
	err := errors.Join(e.tasks.wait(context.Background()), e.works.wait(context.Background()))
	if e.dispatcher != nil {
		e.dispatcher.Close() // an actuator that was given up on still brings its receipt
	}
	for _, f := range e.followers {
		f.close(e.j.Last())
	}
	return errors.Join(err, e.j.Close())
}

// Wait returns when nothing runs in the background: every approval that was
// answered has been acted on.
func (e *Engine) Wait(ctx context.Context) error { return e.tasks.wait(ctx) }

// usable reports why the engine takes no more work, or nil.
func (e *Engine) usable() error {
	switch {
	case e.closed.Load():
		return ErrClosed
	case e.opt.Inspect:
		return errors.New("cortex: opened to inspect: nothing is decided or run")
	}
	return nil
}

func (e *Engine) now() time.Time { return e.opt.Clock() }

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
func (e *Engine) Policy() skills.Policy { return e.policy.Load().gates }

// Subscribe returns the records that are written from now on, as they become
// durable. The caller's pace decides: a slow one falls behind and loses nothing.
// It ends with ctx or the engine.
func (e *Engine) Subscribe(ctx context.Context) iter.Seq2[Record, error] {
	return e.j.Subscribe(ctx, e.j.Last()+1)
}

// Keys of the engine's own reasons for refusing everything.
const (
	keyKill     = "kill-switch"
	keyReadOnly = "read-only"
	keyUnknown  = "tool/unknown"
	keyStale    = "stale"
	keyBusy     = "busy"
	keyCards    = "approval/limit"
)

// ErrKilled is returned while the kill switch is on.
var ErrKilled = errors.New("the kill switch is on: nothing is allowed")

// halted returns why everything is denied, or nil.
func (e *Engine) halted() *skills.Reason {
	if e.killed.Load() {
		return &skills.Reason{Key: keyKill, Text: "an operator has stopped all actions"}
	}
	if err := e.j.Err(); err != nil {
		return &skills.Reason{Key: keyReadOnly, Text: readOnlyText}
	}
	return nil
}

// KillSwitch turns the refusal of everything on or off. Turning it on is open
// to every embedder; turning it off takes an operator.
func (e *Engine) KillSwitch(ctx context.Context, on bool, who Approver) error {
	if !on && !e.belongs(who, skills.DefaultClass) {
		return fmt.Errorf("the kill switch is turned off by an operator: %w", ErrNotApprover)
	}
	if on {
		e.killed.Store(true) // before the write: a stop takes effect even if it cannot be recorded
	}
	err := e.j.Finish(ctx, func(tx *journal.Tx) error {
		if on {
			tx.Set(key(tableSetting, "kill"), []byte{1})
		} else {
			tx.Delete(key(tableSetting, "kill"))
		}
		_, err := tx.Append(kindKill,
			"", sexpr.Plist("on", sexpr.Bool(on), "by", sexpr.Str(who.Name), "via", sexpr.Str(who.Via)))
		return err
	})
	if err == nil {
		e.killed.Store(on)
	}
	return err
}
