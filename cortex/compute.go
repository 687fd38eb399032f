package cortex

import (
	"context"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Calculator computes forms in the language of conditions; see [Engine.Compute].
func (e *Engine) Calculator() *rules.Calculator { return e.policy.Load().book.Calculator() }

// Compute computes a form as a condition would see it if this signal had led to
// an action: its session with its history, and the facts in force. Nothing is
// recorded and nothing decided. The result is a native value.
func (e *Engine) Compute(ctx context.Context, form sexpr.Value, sig Signal) (any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if e.closed.Load() {
		return nil, ErrClosed
	}
	f := e.factsOf(sig)
	f.Now, f.Ctx, f.Env = e.now().Unix(), e.Facts(), e.opt.Env
	if _, err := e.gather(&f, question{}); err != nil {
		return nil, err
	}
	return e.Calculator().Compute(ctx, form, skills.NewCase(nil, nil, &f))
}

// Rulebook returns the rules in force, without plugins.
func (e *Engine) Rulebook() *rules.Rulebook { return e.policy.Load().book }
