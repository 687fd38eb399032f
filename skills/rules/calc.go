package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Calculator computes single forms in the language of conditions: the same names,
// operators, functions, lists and limits, with any kind of result. It is for
// people who try something out, and decides nothing. It is safe for concurrent
// use.
type Calculator struct {
	mu sync.Mutex
	b  *builder
}

// Calculator returns the calculator that knows what this rulebook defines.
func (b *Rulebook) Calculator() *Calculator { return b.calc }

// Names returns every name that a form may begin with or read, sorted: operators,
// functions, lists, and what there is to be read of a case.
func (c *Calculator) Names() []string {
	names := append(keysOf(c.b.operators), keysOf(c.b.functions)...)
	names = append(append(names, keysOf(c.b.lists)...), keysOf(c.b.members)...)
	slices.Sort(names)
	return names
}

// Function describes a function by its name.
func (c *Calculator) Function(name string) (facts.Function, bool) {
	f := c.b.functions[name]
	if f == nil {
		return facts.Function{}, false
	}
	return *f, true
}

// Operator reports whether name is an operator, and how many arguments it takes;
// most is -1 for any number.
func (c *Calculator) Operator(name string) (least, most int, ok bool) {
	a, ok := c.b.operators[name]
	return a.least, a.most, ok
}

// Compute computes a form on a case. The result is a native value, as conditions
// see it; see [skills.Native] and package facts. An error is an [ErrorList] if
// the form is wrong, and an *[Unjudged] if it cannot be computed on this case.
func (c *Calculator) Compute(form sexpr.Value, on *skills.Case) (any, error) {
	p, lit, err := c.compile(form)
	if err != nil || p == nil {
		return lit, err
	}
	return p.run(on)
}

// compile turns a form into a program, or into the value that it stands for.
func (c *Calculator) compile(form sexpr.Value) (p *program, lit any, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.b.faults = faults{}
	src := &source{path: "form"}
	l := &lowerer{b: c.b, src: src}
	t := l.form(form)
	if t.cost > c.b.costs {
		l.fail(form.Pos(), "at worst it takes %d steps, expected at most %d", t.cost, c.b.costs)
	}
	if err := c.b.faults.err(map[*source]int{}); err != nil {
		return nil, nil, err
	}
	switch {
	case t.bad:
		return nil, nil, errors.New("the form cannot be computed")
	case t.typ.Kind == facts.Action:
		return nil, nil, fmt.Errorf("%s: the action itself is no value; read its parts, such as action.tool", form.Pos())
	case t.lit != nil:
		return nil, t.lit, nil
	}
	code, err := c.b.emit.compile(t.code, reflect.Invalid)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", form.Pos(), err)
	}
	return &program{code: code, pool: c.b.pool}, nil, nil
}
