package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// Held says that an action waits for people, or that they have answered otherwise than
// with a yes: see Approval.State. Decision is the ask that made the card, or joined it.
type Held struct {
	Decision *Decision
	Approval *approval.Approval

	engine *Engine
	action *Action
	facts  *Facts
}

func (h *Held) Error() string {
	if a := h.Approval; a.State != approval.Pending {
		text := fmt.Sprintf("approval %s is %s", a.Token, a.State)
		if a.By != "" {
			text += " by " + a.By
		}
		if a.Why != "" {
			text += ": " + a.Why
		}
		return text
	}
	text := h.Decision.Key
	if len(h.Decision.Reasons) > 0 {
		text = h.Decision.Reasons[0].Text
	}
	return fmt.Sprintf("approval %s waits for a person: %s", h.Approval.Token, text)
}

// Do decides on an action and, where it is allowed, takes the permit, runs the tool of
// Options.Tools and records what came of it: Decide, Begin and Finish in one call, for
// tools that the engine runs. Facts are those of [Engine.Decide].
//
// An ask is [Held], whose Wait goes on when people have answered; a no is [NotAllowed].
// With any error before the receipt nothing was run. A receipt may say that the tool
// failed, or that nobody knows: look at its State.
func (e *Engine) Do(ctx context.Context, a *Action, f *Facts) (Receipt, error) {
	d, err := e.ledger.Decide(ctx, a, f)
	if err != nil {
		return Receipt{}, err
	}
	if d.Kind == reason.Ask && d.Approval != "" {
		card, err := e.ledger.Approval(ctx, d.Approval)
		if err != nil {
			return Receipt{}, err
		}
		return Receipt{}, &Held{Decision: d, Approval: card, engine: e, action: a, facts: f}
	}
	p, err := e.Begin(ctx, d)
	if err != nil {
		return Receipt{}, err
	}
	return e.dispatcher.Dispatch(ctx, p)
}

// Wait waits until the approval is answered and, after a yes, does the action as
// [Engine.Do] does: it is decided on again, and only what was approved passes. Any other
// answer is [Held] again, with the approval as it is then. The end of ctx ends the
// waiting, and leaves the card open.
func (h *Held) Wait(ctx context.Context) (Receipt, error) {
	records := h.engine.follow(ctx) // from here on, so that no answer is missed
	if rc, err, answered := h.look(ctx); answered {
		return rc, err
	}
	for rec, err := range records {
		if err != nil {
			return Receipt{}, errors.Join(err, h)
		}
		if rec.Kind != record.KindApproval {
			continue
		}
		if rc, err, answered := h.look(ctx); answered {
			return rc, err
		}
	}
	return Receipt{}, errors.Join(context.Cause(ctx), h)
}

// look goes on if the approval has been answered.
func (h *Held) look(ctx context.Context) (_ Receipt, _ error, answered bool) {
	a, err := h.engine.ledger.Approval(ctx, h.Approval.Token)
	switch {
	case err != nil:
		return Receipt{}, err, true
	case a.State == approval.Pending:
		return Receipt{}, nil, false
	case a.State == approval.Approved:
		rc, err := h.engine.Do(ctx, h.action, h.facts)
		return rc, err, true
	}
	return Receipt{}, &Held{Decision: h.Decision, Approval: a, engine: h.engine, action: h.action, facts: h.facts}, true
}

// Begin turns a recorded allow into the right to act once. In one durable batch
// it checks that nothing the decision read has changed, consumes the grant if
// one was needed, and writes the intent. If something did change, it decides
// again on the same proposal, at most three times; the permit's action is then
// the new decision's. A decision that is not an allow is [NotAllowed]. Without
// Options.Live, Dry or Observe the error is [ErrNoMode], and nothing is written.
func (e *Engine) Begin(ctx context.Context, d *Decision) (*Permit, error) {
	if !e.opt.Live && !e.opt.Dry && !e.opt.Observe {
		return nil, ledger.ErrNoMode
	}
	if d == nil || d.ID == 0 {
		return nil, errors.New("cortex: Begin takes a decision that this engine recorded")
	}
	return e.dispatcher.Begin(ctx, d.ID)
}
