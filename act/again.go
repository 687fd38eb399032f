package act

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Prober is an [Actuator] that can find out the outcome of an earlier call.
type Prober interface {
	Actuator
	// Probe returns the outcome of the call with this key: [Done] or [Failed] if
	// it happened, [Nothing] if it did not and never will, [Unknown] if the
	// actuator cannot tell. It has no side effects. An error counts as Unknown.
	Probe(ctx context.Context, call Call) (Receipt, error)
}

// Retrier is a [Recorder] that can let an intent be tried again.
type Retrier interface {
	// ReopenIntent checks that the outcome of the intent is unknown, judges its action
	// again by what holds today, and makes durable that it is tried once more,
	// under the same key, on behalf of by. It returns the intent with a new
	// deadline and the next number in Try.
	ReopenIntent(ctx context.Context, intent uint64, by string) (Intent, error)
}

// ErrBusy says that the effect of an intent is still in progress in this process.
var ErrBusy = errors.New("act: the effect of this intent is still being worked on")

// defaultProbe is how long a probe may take.
const defaultProbe = 10 * time.Second

// Retry returns the recorder's errors unchanged. Otherwise the recorder has made
// another try of the intent durable, and Retry mints a permit for it.
func (d *Dispatcher) Retry(ctx context.Context, intent uint64, by string) (*Permit, error) {
	r, ok := d.recorder.(Retrier)
	if !ok {
		return nil, errors.New("act: this recorder lets nothing be tried again")
	}
	in, err := r.ReopenIntent(ctx, intent, by)
	if err != nil {
		return nil, err
	}
	if in.ID != intent || in.Try == 0 {
		return nil, fmt.Errorf("act: the recorder answered for intent %d, try %d; expected another try of %d", in.ID, in.Try,
			intent)
	}
	if err := in.complete(); err != nil {
		return nil, err
	}
	return &Permit{&permit{from: d, intent: in}}, nil
}

// Probe asks the actuator of an intent for its outcome, and waits for at most
// 10 s. The outcome is [Unknown] if the actuator is not a [Prober], is still at
// work, panics, errs or is late.
func (d *Dispatcher) Probe(ctx context.Context, in Intent) Receipt {
	unknown := func(why string) Receipt { return Receipt{State: Unknown, Error: why} }
	if in.complete() != nil || in.Dry || in.Observed || d.Busy(in.ID) {
		return unknown("it cannot be asked about")
	}
	a, err := exactly(in.Action)
	if err != nil {
		return unknown(err.Error())
	}
	tool, err := d.tools.Find(a.Tool())
	if err != nil {
		return unknown(err.Error())
	}
	prober, ok := tool.Actuator.(Prober)
	if !ok {
		return unknown("the tool cannot say")
	}
	if err := d.enter(); err != nil {
		return unknown(err.Error())
	}
	call, err := d.unlock(ctx, in, a, tool)
	if err != nil {
		d.late.Done()
		return unknown(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, defaultProbe)
	answer := make(chan Receipt, 1)
	go func() { // ends with the actuator; Close waits for it
		defer d.late.Done()
		defer cancel()
		r := unknown("the tool broke off")
		defer func() { answer <- r }()
		r = call.redacted(d.probe(ctx, prober, call))
	}()
	select {
	case r := <-answer:
		return r.tidy()
	case <-ctx.Done():
	}
	select { // the context ends with the actuator, too: what it said counts
	case r := <-answer:
		return r.tidy()
	default:
		return unknown("the tool did not say in time")
	}
}

// probe calls the actuator. It always returns a receipt.
func (d *Dispatcher) probe(ctx context.Context, p Prober, call Call) (r Receipt) {
	defer func() {
		if fault := recover(); fault != nil {
			d.log().Error("actuator panicked when it was asked", "tool", call.Action.Tool(), "panic",
				call.secrets.Redact(fmt.Sprint(fault)), "stack", string(debug.Stack()))
			r = Receipt{State: Unknown, Error: fmt.Sprintf("the tool broke off: %v", fault)}
		}
	}()
	r, err := p.Probe(ctx, call)
	switch {
	case err != nil:
		return Receipt{State: Unknown, Error: err.Error()}
	case (Receipt{State: r.State}).Valid() != nil:
		return Receipt{State: Unknown, Error: "the tool did not report its outcome"}
	}
	return r
}

// Busy reports whether a permit of this intent is being dispatched, or an
// abandoned actuator has not returned yet.
func (d *Dispatcher) Busy(intent uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.busy[intent] > 0
}

// work marks an intent as in progress, until done is called.
func (d *Dispatcher) work(intent uint64) (done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy == nil {
		d.busy = map[uint64]int{}
	}
	d.busy[intent]++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.busy[intent]--; d.busy[intent] == 0 {
			delete(d.busy, intent)
		}
	}
}
