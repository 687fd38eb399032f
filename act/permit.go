package act

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/skills"
)

// Errors of permits that callers tell apart.
var (
	// ErrForeign says that a permit was not minted by this dispatcher.
	ErrForeign = errors.New("act: not a permit of this dispatcher; only Begin makes one")
	// ErrUsed says that a permit was dispatched or finished before.
	ErrUsed = errors.New("act: this permit has been used; a permit works once")
	// ErrDry says that a receipt claims an effect under a dry permit, which neither
	// spends nor consumes a grant.
	ErrDry = errors.New("act: this permit is dry: nothing is to be run under it, and its only receipt is nothing")
)

// Permit is the right to act once on a recorded allow: its grant is consumed and
// its intent is durable. Only [Dispatcher.Begin] and [Dispatcher.Retry] make
// permits; the zero Permit permits nothing. Copies share one use. A permit is safe
// for concurrent use.
type Permit struct{ *permit }

// permit is the state that the copies of a Permit share.
type permit struct {
	from   *Dispatcher
	intent Intent

	mu      sync.Mutex // held while a receipt is being written
	used    bool       // dispatched, or finished by anyone who runs the tool
	ours    bool       // dispatched: the dispatcher writes the receipt
	settled bool       // a receipt that leaves no doubt is on record
}

// Action returns the action exactly as it was allowed; nil for the zero Permit.
func (p *Permit) Action() *skills.Action { return p.Intent().Action }

// Dry reports that the action must not run.
func (p *Permit) Dry() bool { return p.Intent().Dry }

// Observed reports that the engine only observes: the caller runs the action as
// proposed, whatever the decision.
func (p *Permit) Observed() bool { return p.Intent().Observed }

// Key returns the idempotency key, the same for every retry of the intent.
func (p *Permit) Key() string { return p.Intent().Key }

// ID returns the sequence number of the intent's record.
func (p *Permit) ID() uint64 { return p.Intent().ID }

// Deadline returns when the intent becomes in doubt without a receipt; the zero
// time means never.
func (p *Permit) Deadline() time.Time { return p.Intent().Deadline }

// Intent returns the durable intent.
func (p *Permit) Intent() Intent {
	if p == nil || p.permit == nil {
		return Intent{Dry: true}
	}
	return p.intent
}

// Finish records the outcome of an action that the caller ran itself. It returns
// [ErrUsed] if the permit was dispatched or finished before, [ErrDry] for any
// receipt but [Nothing] under a dry permit, and the recorder's errors. It uses the
// permit up. After an [Unknown] receipt, and after an error of the recorder, it may
// be called again.
func (p *Permit) Finish(ctx context.Context, r Receipt) error {
	if p == nil || p.permit == nil {
		return ErrForeign
	}
	if err := r.tidy().Valid(); err != nil {
		return err
	}
	if p.intent.Dry && r.State != Nothing {
		return ErrDry
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ours || p.settled {
		return ErrUsed
	}
	p.used = true
	return p.settle(ctx, r)
}

// settle writes a receipt. The caller holds the lock.
func (p *permit) settle(ctx context.Context, r Receipt) error {
	if err := p.from.recorder.CloseIntent(ctx, p.intent, r.tidy()); err != nil {
		return err
	}
	p.settled = r.State != Unknown
	return nil
}

// take claims the permit for a dispatch. It succeeds once.
func (p *permit) take() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used {
		return ErrUsed
	}
	p.used, p.ours = true, true
	return nil
}
