package condition

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Calculation is a form with any kind of result, compiled for somebody who tries it
// out. It is of use once.
type Calculation struct {
	program *program // nil if the form stands for a value
	value   any
}

// Calculate compiles a form, and stops once ctx is over, with its cause. What is
// wrong with the form is told to src alone; then the calculation is nil. It is safe
// for concurrent use.
func (b *Language) Calculate(ctx context.Context, src Source, form sexpr.Value) (*Calculation, error) {
	m := &meter{ctx: ctx}
	l := &lowerer{b: b, src: src, meter: m}
	t := l.form(form)
	l.dear(form.Pos(), t.cost)
	switch err := context.Cause(ctx); {
	case err != nil:
		return nil, err
	case l.faulty:
		return nil, nil
	case t.bad:
		return nil, errors.New("the form cannot be computed")
	case t.typ.Kind == facts.Action:
		return nil, fmt.Errorf("%s: the action itself is not a value; read its parts, such as action.tool", form.Pos())
	case t.lit != nil:
		return &Calculation{value: t.lit}, nil
	}
	code, err := b.code(t.code, reflect.Invalid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form.Pos(), err)
	}
	return &Calculation{program: &program{code: code, pool: b.pool, spots: l.spots}}, nil
}

// Run computes the form on a case. An error is an *[Unjudged] if that cannot be
// done on this case, and the cause of the context once that is over.
func (c *Calculation) Run(on *skills.Case) (any, error) {
	if c.program == nil {
		return c.value, nil
	}
	return c.program.run(on)
}
