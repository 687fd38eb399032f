package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason"
)

// Held is the error of an action that waits for people, or whose approval ended without a
// yes: see Approval.State. Decision is the ask that made the card or joined it.
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

// Do decides on an action and, if it is allowed, takes the permit, runs the tool of
// Options.Tools and records the receipt. It is Decide, Begin and Finish in one call, for
// tools that the engine runs; it denies others. f is as for [Engine.Decide].
//
// An ask returns [Held]; its Wait continues when people have answered. A deny returns
// [NotAllowed]. If Do returns an error before there is a receipt, nothing ran. A receipt
// may say that the tool failed, or that the effect is in doubt: look at its State.
func (e *Engine) Do(ctx context.Context, a *Action, f *Facts) (Receipt, error) {
	d, err := e.ledger.DecideOurs(ctx, a, f)
	if err != nil {
		return Receipt{}, err
	}
	if d.Kind == reason.Ask && d.Approval != "" {
		card, err := e.Approvals().Get(ctx, d.Approval)
		if err != nil {
			return Receipt{}, err
		}
		return Receipt{}, &Held{Decision: d, Approval: card, engine: e, action: a, facts: f}
	}
	_, rc, err := e.perform(ctx, d)
	return rc, err
}

// perform takes the permit of a decision, and runs its tool.
func (e *Engine) perform(ctx context.Context, d *Decision) (*Action, Receipt, error) {
	p, err := e.Begin(ctx, d)
	if err != nil {
		return nil, Receipt{}, err
	}
	rc, err := e.dispatcher.Dispatch(ctx, p)
	return p.Action(), rc, err
}

// Wait waits until people have answered the approval. After a yes it does the action as
// [Engine.Do] does: the engine decides again, and only what was approved passes. After any
// other answer it returns [Held] again, with the approval in its new state. When ctx ends,
// Wait ends and the card stays open.
func (h *Held) Wait(ctx context.Context) (Receipt, error) {
	a, err := h.engine.Approvals().Wait(ctx, h.Approval.Token)
	switch {
	case err != nil:
		return Receipt{}, errors.Join(err, h)
	case a.State == approval.Approved:
		return h.engine.Do(ctx, h.action, h.facts)
	}
	return Receipt{}, &Held{Decision: h.Decision, Approval: a, engine: h.engine, action: h.action, facts: h.facts}
}

// Begin turns a recorded allow into a permit to act once. In one durable batch it checks
// that nothing the decision read has changed, consumes the grant if the action needed one,
// and writes the intent. If something did change, it decides again on the same proposal,
// at most three times; the permit's action is then the new decision's. If the decision is
// not an allow, the error is [NotAllowed]. Without Options.Live, Dry or Observe the error
// is [ErrNoMode], and nothing is written.
func (e *Engine) Begin(ctx context.Context, d *Decision) (*Permit, error) {
	if !e.opt.Live && !e.opt.Dry && !e.opt.Observe {
		return nil, ledger.ErrNoMode
	}
	if d == nil || d.ID == 0 {
		return nil, errors.New("cortex: Begin takes a decision that this engine recorded")
	}
	return e.dispatcher.Begin(ctx, d.ID)
}
