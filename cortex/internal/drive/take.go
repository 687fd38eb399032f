package drive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// rounds is how often one call of [Run.Take] looks how the try stands.
const rounds = 8

// Look returns how a try stands and does nothing about it.
func (r *Run) Look(step, try string) (Taken, error) {
	if r.over.Load() {
		return Taken{}, ErrOver
	}
	return r.keeper.Look(r.Root, step, try)
}

// Look returns how a try of the run with this root stands.
func (k *Keeper) Look(root uint64, step, try string) (Taken, error) {
	out, _, err := k.stands(record.Step{Root: root, ID: step, Try: try})
	return out, err
}

// Take takes a step: decision, permit, intent, act and receipt, in the session that the run's log
// acts in, once for each try. A try that is on record is taken up where it stands, also if another
// process has left it there; its action, its facts and who asks are those of the record. Take waits
// for the actuator.
//
// Of a run that is stuck, a try that was begun is told as it stands, and what was begun and has changed
// nothing is settled; for all else the error is [ErrStuck].
//
// The error is else [ErrOver], [ErrNoSession], what is wrong with s, or why the record cannot
// be read or written: the driver returns it.
func (r *Run) Take(ctx context.Context, s Step) (Taken, error) {
	if r.over.Load() {
		return Taken{}, ErrOver
	}
	step := record.Step{Root: r.Root, ID: s.ID, Try: s.Try}
	if err := step.Valid(); err != nil {
		return Taken{}, err
	}
	q, err := r.question(s)
	if err != nil && !r.Stuck { // then it is put to no gate
		return Taken{}, err
	}
	k := r.keeper
	for range rounds {
		if err := context.Cause(ctx); err != nil {
			return Taken{}, err
		}
		out, next, err := k.stands(step)
		if err == nil && r.Stuck && (out.Intent == 0 || next == decide) {
			return out, ErrStuck
		}
		if err == nil && next != nothing {
			var held *Taken
			if held, err = k.further(ctx, next, out, q, s.Timeout); held != nil {
				return *held, nil
			}
		}
		if err != nil || next == nothing {
			return out, err
		}
	}
	return Taken{State: StepLater, Key: ledger.KeyStale, Reason: "what it rests on keeps changing"}, nil
}

// further does what may be done about a try. It returns how the try is held up, if it is.
func (k *Keeper) further(ctx context.Context, next todo, now Taken, q ledger.Question, most time.Duration) (
	held *Taken, err error) {
	if h := k.ledger.Halted(); h != nil {
		return &Taken{State: StepLater, Decision: now.Decision, Key: h.Key, Reason: h.Text}, nil
	}
	switch next {
	case decide:
		if now.Decision != 0 { // the same question, put anew
			if q, err = k.ledger.Asked(now.Decision); err != nil {
				return nil, err
			}
		}
		var d *record.Decision
		if d, err = k.ledger.DecideOn(ctx, q); err == nil && d.Kind == reason.Deny && passing(d.Key) {
			return &Taken{State: StepLater, Decision: d.ID, Key: d.Key, Reason: d.Reasons[0].Text}, nil
		}
	case begin:
		err = k.begin(ctx, now.Decision, most)
	case settle:
		if _, err = k.ledger.SettleHarmless(ctx, now.Intent, now.Result.Error); errors.Is(err, ledger.ErrFinished) {
			err = nil
		}
	}
	text, busy := ledger.Overloaded(err)
	switch {
	case busy:
		return &Taken{State: StepLater, Decision: now.Decision, Key: ledger.KeyBusy, Reason: text}, nil
	case errors.Is(err, ledger.ErrKilled):
		return &Taken{State: StepLater, Decision: now.Decision, Key: ledger.KeyKill, Reason: err.Error()}, nil
	}
	return nil, err
}

// begin takes the permit of an allow and acts. What becomes of it is on record.
func (k *Keeper) begin(ctx context.Context, decision uint64, most time.Duration) error {
	p, err := k.dispatcher.Begin(ctx, decision)
	if errors.As(err, new(*ledger.NotAllowed)) || errors.Is(err, ledger.ErrUsed) {
		return nil // there is a newer decision, or an intent
	}
	if err != nil {
		return err
	}
	if p.Dry() {
		return fmt.Errorf("decision %d: a step is not taken dry", decision)
	}
	if most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	_, err = k.dispatcher.Dispatch(ctx, p)
	return err
}
