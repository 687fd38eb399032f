package act

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/skills"
)

// defaultGrace is how long an actuator may take to stop after its deadline.
const defaultGrace = 10 * time.Second

// Finder finds a tool by its exact name, or returns a [*NotFoundError].
// [*Registry] is one.
type Finder interface {
	Find(name string) (Tool, error)
}

// Dispatcher turns recorded allows into permits, and permits into effects. Set
// its fields before the first use; after that it is safe for concurrent use.
type Dispatcher struct {
	// Clock is the clock for the deadlines of intents; nil means time.Now.
	Clock func() time.Time
	// Grace is how long an actuator may take to stop after its deadline has
	// passed or its caller has left. After that its intent is in doubt and
	// Dispatch returns without it. 0 means 10 s.
	Grace time.Duration
	// Vault has the secrets that actions refer to; nil has none.
	Vault Vault
	// Logger logs panics and late receipts; nil discards them.
	Logger *slog.Logger

	recorder Recorder
	tools    Finder

	mu     sync.Mutex
	closed bool
	busy   map[uint64]int // by intent: dispatches and actuators that work on it
	late   sync.WaitGroup // dispatches and actuators; rises from 0 under mu, while not closed
}

// NewDispatcher returns a dispatcher that writes to rec and runs tools.
func NewDispatcher(rec Recorder, tools Finder) *Dispatcher {
	return &Dispatcher{recorder: rec, tools: tools}
}

// Begin asks the recorder for the intent of a decision, by the sequence number of
// its record, and mints a permit once the intent is durable. The recorder's errors
// come back as they are. The permit's action may be a newer decision's.
func (d *Dispatcher) Begin(ctx context.Context, decision uint64) (*Permit, error) {
	if decision == 0 {
		return nil, errors.New("act: Begin takes a recorded decision")
	}
	in, err := d.recorder.OpenIntent(ctx, decision)
	if err != nil {
		return nil, err
	}
	if err := in.complete(); err != nil {
		return nil, err
	}
	return &Permit{&permit{from: d, intent: in}}, nil
}

// Dispatch runs the permit's action, once, and records the receipt.
//
// Dispatch returns an error with a zero receipt if the permit is not valid here
// ([ErrForeign], [ErrUsed]). It also returns an error if the receipt could not be
// recorded: the caller must then not report the receipt, and the intent stays open
// until it is in doubt.
//
// The tool does not run, and the receipt says [Nothing], if the permit is dry or
// observed, its deadline has passed, ctx has ended, the dispatcher is closed, the
// action differs from the allowed bytes, or the tool is unknown. An actuator that
// panics or exceeds its deadline leaves [Unknown].
func (d *Dispatcher) Dispatch(ctx context.Context, p *Permit) (Receipt, error) {
	if d == nil || p == nil || p.permit == nil || p.from != d {
		return Receipt{}, ErrForeign
	}
	if err := p.take(); err != nil {
		return Receipt{}, err
	}
	defer d.work(p.intent.ID)() // before its deadline is looked at: see Busy
	start := time.Now()
	tool, call, left, err := d.ready(ctx, p.intent)
	if err == nil {
		err = d.enter()
	}
	if err != nil {
		return d.finish(ctx, p, Receipt{State: Nothing, Error: err.Error()}, start)
	}
	defer d.late.Done()
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	known := make(chan struct{}) // closed when the first receipt is on record
	defer close(known)
	return d.finish(ctx, p, d.run(ctx, p, tool, call, known), start)
}

// Errors of actions that do not run, for the model and the user.
var (
	errDry     = errors.New("dry run: nothing was done")
	errLate    = errors.New("the permit ran out before it was used; nothing was done")
	errClosed  = errors.New("the engine is closing; nothing was done")
	errChanged = errors.New("the action is not the one that was allowed; nothing was done")
)

// ready returns the actuator and the call for a permit's action, and its timeout.
func (d *Dispatcher) ready(ctx context.Context, in Intent) (Tool, Call, time.Duration, error) {
	var none Tool
	if in.Dry || in.Observed {
		return none, Call{}, 0, errDry
	}
	if ctx.Err() != nil {
		return none, Call{}, 0, fmt.Errorf("stopped before it began: %w", context.Cause(ctx))
	}
	left := time.Duration(1<<63 - 1)
	if !in.Deadline.IsZero() {
		if left = in.Deadline.Sub(d.now()); left <= 0 {
			return none, Call{}, 0, errLate
		}
	}
	a, err := exactly(in.Action)
	if err != nil {
		return none, Call{}, 0, err
	}
	tool, err := d.tools.Find(a.Tool())
	if err != nil {
		return none, Call{}, 0, err
	}
	call, err := d.unlock(ctx, in, a, tool)
	return tool, call, left, err
}

// exactly rebuilds the actuator's action from the parts that it will read. It
// returns an error if these are not the allowed bytes.
func exactly(allowed *skills.Action) (*skills.Action, error) {
	a, err := skills.NewAction(allowed.Tool(), allowed.Args(), allowed.Explanation())
	if err != nil || a.Digest() != allowed.Digest() || a.Canonical() != allowed.Canonical() {
		return nil, errChanged
	}
	return a, nil
}

// run starts the actuator and waits for it, at most Grace beyond the end of ctx.
// A later actuator settles its intent when it returns.
func (d *Dispatcher) run(ctx context.Context, p *Permit, tool Tool, call Call, known <-chan struct{}) Receipt {
	answer, gone := make(chan Receipt), make(chan struct{})
	d.late.Add(1)
	done := sync.OnceFunc(d.work(p.intent.ID))
	go func() { // ends with the actuator; Close waits for it
		defer d.late.Done()
		defer done()
		start := time.Now()
		r := Receipt{State: Unknown, Error: "the tool broke off"}
		defer func() { // runs even if the actuator ends its goroutine
			select {
			case answer <- r:
			case <-gone:
				<-known
				if _, err := d.finish(ctx, p, r, start); err != nil {
					d.log().Error("late receipt not recorded", "intent", p.intent.ID, "tool", tool.Schema.Name, "error", err)
				}
			}
		}()
		r = call.redacted(d.attempt(ctx, tool, call))
	}()
	select {
	case r := <-answer:
		done() // before the receipt is returned: Busy is then false
		return r
	case <-ctx.Done():
	}
	grace := time.NewTimer(d.grace())
	defer grace.Stop()
	select {
	case r := <-answer:
		done()
		return r
	case <-grace.C:
		close(gone)
		return Receipt{State: Unknown,
			Error: "it did not stop when its time was over; it is not known yet whether it happened"}
	}
}

// attempt calls the actuator. It always returns a receipt.
func (d *Dispatcher) attempt(ctx context.Context, tool Tool, call Call) (r Receipt) {
	defer func() {
		if fault := recover(); fault != nil {
			d.log().Error("actuator panicked", "tool", tool.Schema.Name, "panic", call.secrets.Redact(fmt.Sprint(fault)),
				"stack", string(debug.Stack()))
			r = Receipt{State: Unknown, Error: fmt.Sprintf("the tool broke off: %v", fault)}
		}
	}()
	r, err := tool.Actuator.Act(ctx, call)
	if err != nil && r.Error == "" {
		r.Error = err.Error()
	}
	if (Receipt{State: r.State}).Valid() == nil {
		if err != nil && r.State == Done {
			r.State = Failed // the receipt contradicts the error
		}
		return r
	}
	switch {
	case err == nil:
		r.State, r.Error = Unknown, "the tool did not report its outcome"
	case ctx.Err() != nil:
		r.State = Unknown // interrupted: its progress is unknown
	default:
		r.State = Failed
	}
	return r
}

// finish records a receipt, even if the caller has left.
func (d *Dispatcher) finish(ctx context.Context, p *Permit, r Receipt, start time.Time) (Receipt, error) {
	r.Took = time.Since(start)
	r = r.tidy()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.settle(context.WithoutCancel(ctx), r); err != nil {
		return r, fmt.Errorf("act: receipt of intent %d: %w", p.intent.ID, err)
	}
	return r, nil
}

// enter counts one more dispatch, unless the dispatcher is closed.
func (d *Dispatcher) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	d.late.Add(1)
	return nil
}

// Close stops new dispatches. It returns when all actuators have ended, abandoned
// ones included, and every receipt is with the recorder.
func (d *Dispatcher) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.late.Wait()
}

func (d *Dispatcher) now() time.Time {
	if d.Clock == nil {
		return time.Now()
	}
	return d.Clock()
}

func (d *Dispatcher) grace() time.Duration {
	if d.Grace <= 0 {
		return defaultGrace
	}
	return d.Grace
}

func (d *Dispatcher) log() *slog.Logger {
	if d.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Logger
}
