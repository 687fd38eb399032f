package rules

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
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

// Condition describes a condition that the rule files define, by its name: the names of
// its arguments, and its text for people.
func (c *Calculator) Condition(name string) (args, doc string, ok bool) {
	d, ok := c.known.Definition(name)
	if !ok {
		return "", "", false
	}
	return d.Arguments(), d.Doc, true
}

// Written returns the body of the condition of the rule files that a form asks, with the
// form's arguments in the place of the names that the body gives them. It reports false
// for any other form. A name that the body binds anew makes it a form that does not
// compile.
func (c *Calculator) Written(form sexpr.Value) (sexpr.Value, bool) {
	if form.Len() == 0 || form.Items()[0].Kind() != sexpr.Symbol {
		return sexpr.Value{}, false
	}
	d, ok := c.known.Definition(form.Items()[0].Text())
	if !ok || len(d.Params) != form.Len()-1 {
		return sexpr.Value{}, false
	}
	given := map[string]sexpr.Value{}
	for i, p := range d.Params {
		given[p.Text()] = form.Items()[i+1]
	}
	return inserted(d.Body, given), true
}

// inserted is a form with others in the place of names.
func inserted(form sexpr.Value, given map[string]sexpr.Value) sexpr.Value {
	if by, ok := given[form.Text()]; ok && form.Kind() == sexpr.Symbol {
		return by
	}
	if form.Len() == 0 {
		return form
	}
	items := make([]sexpr.Value, form.Len())
	for i, x := range form.Items() {
		items[i] = inserted(x, given)
	}
	return sexpr.ListOf(items...)
}

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
	p, err := c.known.Calculate(ctx, fileFaults{&wrong, &source{path: "form"}, "it"}, form)
	if err != nil {
		return nil, err
	}
	if err := wrong.err(map[*source]int{}); err != nil {
		return nil, err
	}
	if p == nil { // the fault was told where a definition stands, whose file is not this form's
		return nil, fmt.Errorf("%s: the form cannot be computed: a condition that it names cannot take these values",
			form.Pos())
	}
	out, err := p.Run(on)
	var u *Unjudged
	if errors.As(err, &u) && u.Hint != "" {
		err = fmt.Errorf("%w; %s", err, u.Hint)
	}
	return out, err
}

// Kind names the kind of a value that the calculator gave, such as "an integer", for
// people.
func (c *Calculator) Kind(v any) string {
	if known, err := facts.Read(v); err == nil {
		v = known
	}
	return value.KindOf(v)
}

// Form is a value that the calculator gave, as a form. It is an error if anything in it is
// not known.
func (c *Calculator) Form(v any) (sexpr.Value, error) { return value.Form(v) }
