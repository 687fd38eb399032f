package drive

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
)

// Keeper drives the runs that are due.
type Keeper struct {
	driver Driver // nil drives nothing
	agent  string // the requester of steps that name none

	// Set by Begin.
	ledger     *ledger.Ledger
	dispatcher *act.Dispatcher
	logs       *logs.Logs
	run        func(func()) // a task of the engine, which waits for it

	mu      sync.Mutex
	open    bool
	driving map[uint64]*work // by root signal
}

// New returns a keeper that drives nothing yet. driver may be nil; agent is the requester of steps
// that name none. Without live there are no effects, so runs stay due.
func New(driver Driver, live bool, agent string) *Keeper {
	if !live {
		driver = nil
	}
	return &Keeper{driver: driver, agent: agent, driving: map[uint64]*work{}}
}

// Begin drives what is due, from now on: with the decisions of l and the effects of d, in tasks that
// run starts. on are the logs of the record.
func (k *Keeper) Begin(ctx context.Context, l *ledger.Ledger, d *act.Dispatcher, on *logs.Logs,
	run func(func())) error {
	k.mu.Lock()
	k.ledger, k.dispatcher, k.logs, k.run, k.open = l, d, on, run, true
	k.mu.Unlock()
	return k.TakeUp(ctx)
}

// work is a run that is being driven.
type work struct {
	again bool          // it became due meanwhile
	done  chan struct{} // closed when it is not driven any more
}

// Due starts the driver of a run that is due, unless it is at work: then it looks once more. It
// does not wait.
func (k *Keeper) Due(root uint64) {
	if k.driver == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.open || k.ledger.Usable() != nil {
		return // the next take-up finds it
	}
	if w := k.driving[root]; w != nil {
		w.again = true
		return
	}
	w := &work{done: make(chan struct{})}
	k.driving[root] = w
	k.run(func() { k.drive(root, w) })
}

// drive drives a run for as long as it becomes due.
func (k *Keeper) drive(root uint64, w *work) {
	defer close(w.done)
	for more := true; more; {
		err := k.once(k.ledger.Ctx, root)
		if err != nil && k.ledger.Ctx.Err() == nil {
			k.ledger.Opt.Logger.Error("a run could not go on; the next heartbeat tries again", "root", root, "error", err)
		}
		k.mu.Lock()
		if more = w.again && err == nil; !more {
			delete(k.driving, root)
		}
		w.again = false
		k.mu.Unlock()
	}
}

// once calls the driver of a run that is due, and puts the run to rest if it says so.
func (k *Keeper) once(ctx context.Context, root uint64) error {
	due, open, err := record.DueAt(k.ledger.J, root)
	if err != nil || !open {
		return err
	}
	r, err := k.read(root)
	if errors.Is(err, logs.ErrNoLog) || errors.Is(err, journal.ErrRemoved) { // deleted since
		return k.rest(ctx, root, "", due, Rest{})
	}
	if err != nil {
		return err
	}
	r.Stuck = due.TakeUps > MaxTakeUps
	if due.TakeUps > 2*MaxTakeUps {
		return k.rest(ctx, root, r.Log, due, Rest{Why: "given up: its driver does not return"})
	}
	how, err := k.call(ctx, r)
	if err != nil {
		return err
	}
	if how.Later { // it goes on as soon as it can, however often that is looked at
		return k.ledger.J.Finish(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
			return record.Advanced(tx, root)
		})
	}
	return k.rest(ctx, root, r.Log, due, how)
}

// read reads the run of a root signal.
func (k *Keeper) read(root uint64) (*Run, error) {
	rec, err := k.ledger.J.Read(root)
	if err != nil {
		return nil, err
	}
	sig, err := perceive.DecodeSignal(rec.Body)
	if err != nil {
		return nil, fmt.Errorf("signal %d: %w", root, err)
	}
	h, err := logs.OfRoot(k.ledger.J, sig.Session, root)
	if err != nil {
		return nil, err
	}
	return &Run{Log: h.Log, Family: h.Family, Acts: h.Acts, Logs: k.logs, Root: root, Principal: sig.Principal,
		Roles: sig.Roles, keeper: k,
		signal: sig}, nil
}

// call calls the driver, and turns a panic into an error.
func (k *Keeper) call(ctx context.Context, r *Run) (how Rest, err error) {
	defer func() {
		r.over.Store(true)
		if fault := recover(); fault != nil {
			k.ledger.Opt.Logger.Error("the driver of a run panicked", "log", r.Log, "panic", fault,
				"stack", string(debug.Stack()))
			err = fmt.Errorf("run %s: panic: %v", r.Log, fault)
		}
	}()
	how, err = k.driver.Drive(ctx, r)
	if err != nil {
		err = fmt.Errorf("run %s: %w", r.Log, err)
	}
	return how, err
}

// rest answers the root signal of a run, unless the run was woken since it was seen as due.
func (k *Keeper) rest(ctx context.Context, root uint64, log string, due record.Due, how Rest) error {
	return k.ledger.J.Finish(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		rests, err := record.Rest(tx, root, due)
		if err != nil || !rests || log == "" {
			return err
		}
		_, err = record.Append(tx, log, record.Answer{Signal: root, Notice: how.Why})
		return err
	})
}
