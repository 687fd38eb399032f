package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason"
)

// Compensations carries out actions that compensate earlier effects.
type Compensations struct{ e *Engine }

// Compensations returns the engine's compensations.
func (e *Engine) Compensations() Compensations { return Compensations{e} }

// Decide judges, as [Engine.Decide] does, an action that compensates the effect of an
// intent. f says who asks; if it names no session, the session is the intent's.
// [Engine.Begin] then gives a permit, one for each intent: a second caller gets a
// [CompensationError], until the first compensation is settled as having done nothing. The
// engine never retries a compensation that failed; a person settles it.
//
// The error is [ErrNoIntent] if the intent does not exist, [ErrNothing] if it had no
// effect, and [ErrUnsettled] if its effect is not known.
func (c Compensations) Decide(ctx context.Context, intent uint64, a *Action, f *Facts) (*Decision, error) {
	return c.e.ledger.Compensate(ctx, intent, a, f)
}

// Failed returns the compensations that failed and that no person has settled since,
// oldest first. The engine does not try them again.
func (c Compensations) Failed(ctx context.Context) (out []ledger.Compensation, err error) {
	return c.e.ledger.FailedCompensations(ctx)
}

// Run carries out compensations with the engine's own tools, the newest intent's first,
// and returns those that are done. It stops at the first one that is refused, waits for a
// person or fails, and the error says why: [NotAllowed] with the decision and the token of
// its card, [CompensationError], or another one. Called again with the same list it goes
// on from there: it does not repeat a compensation that is done, and compensates nothing
// for an intent that had no effect.
//
// Of each element, Run reads Intent and Action. f is as for [Compensations.Decide].
func (c Compensations) Run(ctx context.Context, list []ledger.Compensation, f *Facts) (done []ledger.Compensation,
	err error) {
	list = slices.SortedFunc(slices.Values(list),
		func(a, b ledger.Compensation) int { return cmp.Compare(b.Intent, a.Intent) })
	for i, x := range list {
		if i > 0 && x.Intent == list[i-1].Intent {
			return nil, fmt.Errorf("intent %d is in the list twice; one action makes up for it", x.Intent)
		}
	}
	for _, x := range list {
		if err := context.Cause(ctx); err != nil {
			return done, err
		}
		made, err := c.e.makeUp(ctx, x, f)
		if err != nil {
			return done, err
		}
		done = append(done, made)
	}
	return done, nil
}

// makeUp carries out one compensation, unless it was done before.
func (e *Engine) makeUp(ctx context.Context, c ledger.Compensation, f *Facts) (ledger.Compensation, error) {
	c.By, c.State = 0, ledger.CompensationNeedless
	d, err := e.ledger.CompensateBy(ctx, c, f, true)
	var was *ledger.CompensationError
	switch {
	case errors.Is(err, ledger.ErrNothing):
		return c, nil
	case errors.As(err, &was) && was.State == ledger.CompensationDone:
		return was.Compensation, nil
	case err != nil:
		return c, err
	case d.Kind != reason.Allow:
		return c, &ledger.NotAllowed{Decision: d}
	}
	p, err := e.dispatcher.Begin(ctx, d.ID)
	if err != nil {
		return c, err
	}
	rc, err := e.dispatcher.Dispatch(ctx, p)
	if err != nil {
		return c, fmt.Errorf("compensation of intent %d: %w", c.Intent, err)
	}
	c.Action, c.By = p.Action(), p.ID()
	switch rc.State {
	case act.Nothing:
		return c, fmt.Errorf("compensation of intent %d: nothing was done: %s", c.Intent, rc.Error)
	case act.Failed:
		c.State = ledger.CompensationFailed
	case act.Unknown:
		c.State = ledger.CompensationInDoubt
	case act.Done:
		c.State = ledger.CompensationDone
		return c, nil
	}
	e.opt.Logger.Error("a compensation did not succeed", "intent", c.Intent, "by", c.By, "tool", c.Action.Tool(),
		"state", c.State, "error", rc.Error)
	return c, fmt.Errorf("compensation of intent %d: %w", c.Intent, &ledger.CompensationError{Compensation: c})
}
