package engine

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Rules gives access to the rules in force: to look at them and to compute with them.
type Rules struct{ e *Engine }

// Rules returns the rules in force.
func (e *Engine) Rules() Rules { return Rules{e} }

// Policy returns the policy in force: the rulebook with the gates of plugins.
func (r Rules) Policy() skills.Policy { return r.e.policies.Current().Gates }

// Book returns the rulebook in force, without plugins.
func (r Rules) Book() *rules.Rulebook { return r.e.policies.Current().Book }

// Calculator computes forms in the language of conditions; see [Rules.Compute].
func (r Rules) Calculator() *rules.Calculator { return r.Book().Calculator() }

// Compute computes a form as a condition would if sig had led to an action: with the
// session, its history and the facts in force. It records and decides nothing. The result
// is a native value.
func (r Rules) Compute(ctx context.Context, form sexpr.Value, sig Signal) (any, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if r.e.ledger.Closed.Load() {
		return nil, ledger.ErrClosed
	}
	c, err := r.e.unacted(sig)
	if err != nil {
		return nil, err
	}
	return r.Calculator().Compute(ctx, form, c)
}

// unacted is the case that a model is asked about: a signal, its session and what is known, and no
// action yet.
func (e *Engine) unacted(sig Signal) (*skills.Case, error) {
	f := e.sessions.FactsOf(sig)
	e.ledger.Blackboard(&f)
	f.Now, f.Env = e.ledger.Now().Unix(), e.opt.Env
	if err := e.ledger.Gather(&f); err != nil {
		return nil, err
	}
	return skills.NewCase(nil, nil, &f), nil
}
