package rules

import (
	"context"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// Calculator computes single forms in the language of conditions: the same names,
// operators, functions, lists and limits, with any kind of result. It is for
// people who try something out, and decides nothing. It is safe for concurrent
// use.
type Calculator struct {
	known *condition.Language
}

// Calculator returns the calculator that knows what this rulebook defines.
func (b *Rulebook) Calculator() *Calculator { return b.calc }

// Names returns every name that a form may begin with or read, sorted: operators,
// functions, lists, and what there is to be read of a case.
func (c *Calculator) Names() []string { return c.known.Names() }

// Function describes a function by its name.
func (c *Calculator) Function(name string) (facts.Function, bool) { return c.known.Function(name) }

// Operator describes an operator by its name: how its arguments are written, and
// what it does.
func (c *Calculator) Operator(name string) (args, doc string, ok bool) { return c.known.Operator(name) }

// Operators returns the names of all operators, sorted.
func (c *Calculator) Operators() []string { return c.known.Operators() }

// List reports whether name is a list that the rule files define, and how many
// elements it has.
func (c *Calculator) List(name string) (elements int, ok bool) { return c.known.List(name) }

// Members returns what there is to be read below a name, such as principal below
// session, sorted; none if the name is not one of these.
func (c *Calculator) Members(name string) []string { return c.known.Members(name) }

// Compute computes a form on a case. The result is a native value, as conditions
// see it; see [skills.Native] and package facts. An error is an [ErrorList] if
// the form is wrong, and an *[Unjudged] if it cannot be computed on this case;
// the cause of ctx once that is over. Somebody who may not write rules may have
// written the form, so time and text are bounded besides its static cost.
func (c *Calculator) Compute(ctx context.Context, form sexpr.Value, on *skills.Case) (any, error) {
	var wrong faults // of its own: nobody waits for somebody else's form
	p, err := c.known.Calculate(ctx, fileFaults{&wrong, &source{path: "form"}}, form)
	if err != nil {
		return nil, err
	}
	if err := wrong.err(map[*source]int{}); err != nil {
		return nil, err
	}
	return p.Run(on)
}
