package rules

import (
	"context"
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
	mu sync.Mutex // of b.emit
	b  *builder
}

// Calculator returns the calculator that knows what this rulebook defines.
func (b *Rulebook) Calculator() *Calculator { return b.calc }

// Names returns every name that a form may begin with or read, sorted: operators,
// functions, lists, and what there is to be read of a case.
func (c *Calculator) Names() []string {
	names := append(keysOf(c.b.operators), keysOf(c.b.functions)...)
	names = append(append(names, keysOf(c.b.lists)...), "now")
	for name, below := range c.b.members {
		names = append(names, name)
		for _, m := range keysOf(below) {
			names = append(names, name+"."+m)
		}
	}
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

// Operator describes an operator by its name: how its arguments are written, and
// what it does.
func (c *Calculator) Operator(name string) (args, doc string, ok bool) {
	o, ok := c.b.operators[name]
	return o.args, o.doc, ok
}

// Operators returns the names of all operators, sorted.
func (c *Calculator) Operators() []string { return keysOf(c.b.operators) }

// List reports whether name is a list that the rule files define, and how many
// elements it has.
func (c *Calculator) List(name string) (elements int, ok bool) {
	l, ok := c.b.lists[name]
	if !ok {
		return 0, false
	}
	return len(l.items), true
}

// Members returns what there is to be read below a name, such as principal below
// session, sorted; none if the name is not one of these.
func (c *Calculator) Members(name string) []string { return keysOf(c.b.members[name]) }

// Compute computes a form on a case. The result is a native value, as conditions
// see it; see [skills.Native] and package facts. An error is an [ErrorList] if
// the form is wrong, and an *[Unjudged] if it cannot be computed on this case;
// the cause of ctx once that is over. Somebody who may not write rules may have
// written the form, so time and text are bounded besides its static cost.
func (c *Calculator) Compute(ctx context.Context, form sexpr.Value, on *skills.Case) (any, error) {
	m := &meter{ctx: ctx}
	p, lit, err := c.compile(form, m)
	if err != nil || p == nil {
		return lit, err
	}
	return p.runOn(on, m)
}

// compile turns a form into a program, or into the value that it stands for.
func (c *Calculator) compile(form sexpr.Value, m *meter) (p *program, lit any, err error) {
	b := *c.b // with faults of its own: nobody waits for somebody else's form
	b.faults = faults{}
	l := &lowerer{b: &b, src: &source{path: "form"}, meter: m}
	t := l.form(form)
	if t.cost > b.costs {
		l.fail(form.Pos(), "at worst it takes %d steps, expected at most %d", t.cost, b.costs)
	}
	if err := context.Cause(m.ctx); err != nil {
		return nil, nil, err
	}
	if err := b.faults.err(map[*source]int{}); err != nil {
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
	c.mu.Lock()
	defer c.mu.Unlock()
	code, err := b.emit.compile(t.code, reflect.Invalid)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", form.Pos(), err)
	}
	return &program{code: code, pool: b.pool}, nil, nil
}
