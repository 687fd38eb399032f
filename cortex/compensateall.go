package cortex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason"
)

// CompensateAll carries out compensations with the engine's own tools, the newest
// intent's first, and returns those that are made up for. At the first that is
// refused, has to wait for a person or fails it stops, and the error says why:
// [NotAllowed] with the decision and the token of its card, [CompensationError], or
// another. Called again with the same list it goes on from there: what is made up
// for already is done, and of what never happened nothing is to be made up for.
//
// Of each, Intent and Action count. Facts are as for [Engine.Compensate].
func (e *Engine) CompensateAll(ctx context.Context, list []Compensation, f *Facts) (done []Compensation, err error) {
	list = slices.SortedFunc(slices.Values(list), func(a, b Compensation) int { return cmp.Compare(b.Intent, a.Intent) })
	for i, c := range list {
		if i > 0 && c.Intent == list[i-1].Intent {
			return nil, fmt.Errorf("intent %d is in the list twice; one action makes up for it", c.Intent)
		}
	}
	for _, c := range list {
		if err := context.Cause(ctx); err != nil {
			return done, err
		}
		c, err := e.makeUp(ctx, c, f)
		if err != nil {
			return done, err
		}
		done = append(done, c)
	}
	return done, nil
}

// makeUp carries out one compensation, unless that was done before.
func (e *Engine) makeUp(ctx context.Context, c Compensation, f *Facts) (Compensation, error) {
	c.By, c.State = 0, CompensationNeedless
	d, err := e.compensate(ctx, c, f, true)
	var was *CompensationError
	switch {
	case errors.Is(err, ErrNothing):
		return c, nil
	case errors.As(err, &was) && was.State == CompensationDone:
		return was.Compensation, nil
	case err != nil:
		return c, err
	case d.Kind != reason.Allow:
		return c, &NotAllowed{d}
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
		c.State = CompensationFailed
	case act.Unknown:
		c.State = CompensationInDoubt
	case act.Done:
		c.State = CompensationDone
		return c, nil
	}
	e.opt.Logger.Error("a compensation did not succeed", "intent", c.Intent, "by", c.By, "tool", c.Action.Tool(),
		"state", c.State, "error", rc.Error)
	return c, fmt.Errorf("compensation of intent %d: %w", c.Intent, &CompensationError{c})
}
