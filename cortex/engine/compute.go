package engine

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Calculator computes forms in the language of conditions; see [Engine.Compute].
func (e *Engine) Calculator() *rules.Calculator { return e.policies.Current().Book.Calculator() }

// Compute computes a form as a condition would see it if this signal had led to
// an action: its session with its history, and the facts in force. Nothing is
// recorded and nothing decided. The result is a native value.
func (e *Engine) Compute(ctx context.Context, form sexpr.Value, sig Signal) (any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if e.ledger.Closed.Load() {
		return nil, ledger.ErrClosed
	}
	f := e.sessions.FactsOf(sig)
	f.Now, f.Ctx, f.Env = e.ledger.Now().Unix(), e.ledger.Facts(), e.opt.Env
	if _, err := e.ledger.Gather(&f, ledger.Question{}); err != nil {
		return nil, err
	}
	return e.Calculator().Compute(ctx, form, &skills.Case{Facts: &f, Memo: map[string]any{}})
}

// Rulebook returns the rules in force, without plugins.
func (e *Engine) Rulebook() *rules.Rulebook { return e.policies.Current().Book }
