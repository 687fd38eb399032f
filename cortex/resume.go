package cortex

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/act"
)

// resumeLater goes on, in the background, with what the engine itself runs, now
// that people have answered: it acts on a grant and tells the model of a denial.
func (e *Engine) resumeLater(a *Approval) {
	if e.usable() != nil || !a.Resume || e.opt.Observe {
		return
	}
	e.tasks.run(func() {
		if err := e.resume(e.ctx, a); err != nil && !errors.Is(err, ErrClosed) {
			e.opt.Logger.Error("could not go on after an approval", "token", a.Token, "session", a.Session, "error", err)
		}
	})
}

// resume takes the session's turn, decides again with the grant, acts, and lets
// the conversation go on from there.
func (e *Engine) resume(ctx context.Context, a *Approval) error {
	q, err := e.asked(a.Decision)
	if err != nil {
		return err
	}
	sig := q.facts.Signal
	sig.Depth, sig.Root = a.Depth, a.Root
	out := &Outcome{Signal: a.Root}
	ctx, end, err := e.attend(ctx, sig)
	if err != nil {
		return err
	}
	defer end()
	err = e.inTurn(ctx, sig, out, func(ctx context.Context, sig Signal, out *Outcome) error {
		if a.State == Denied {
			return e.refused(ctx, sig, a, out)
		}
		return e.approved(ctx, sig, q, out)
	})
	return e.conclude(ctx, sig, out, err)
}

// approved acts on a grant, and tells the model what came of it.
func (e *Engine) approved(ctx context.Context, sig Signal, q question, out *Outcome) error {
	d, err := e.decide(ctx, q)
	if err != nil {
		return err
	}
	out.Decisions = append(out.Decisions, d)
	told, fed, err := e.carryOut(ctx, sig, d, out)
	if err != nil || fed == nil {
		return err
	}
	return e.goOn(ctx, *fed, told.text, out)
}

// refused tells the model that a person said no. What a silent tool was to do
// has no result: nobody is told.
func (e *Engine) refused(ctx context.Context, sig Signal, a *Approval, out *Outcome) error {
	fed, ok := e.registry.Feedback(sig, a.Action.Tool(), Receipt{State: act.Nothing, Error: refusedBecause + a.Why})
	if !ok {
		return nil
	}
	if _, err := e.recordSignal(ctx, fed); err != nil {
		return err
	}
	return e.goOn(ctx, fed, "not run: "+refusedBecause+a.Why, out)
}

// refusedBecause introduces the reason that a person, or new rules, gave.
const refusedBecause = "it was refused: "
