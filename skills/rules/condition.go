package rules

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// Condition is a condition that stands outside of rule files, such as in a plan. It is
// immutable and safe for concurrent use.
type Condition struct{ is condition.Condition }

// Conditions compiles forms as the conditions of rules are compiled: with the functions of l
// and its bound on costs, and without what rule files define. With tools of l, the conditions
// are about actions on these alone. text is the file that the forms stand in, and name what
// messages call it. The error is an [ErrorList] of everything that is wrong with them; then
// there is no condition.
func (l Loader) Conditions(name, text string, forms ...sexpr.Value) ([]Condition, error) {
	b := newBuilder(slices.Concat(facts.Core(), l.Functions), l.Limits.orDefaults().Cost)
	var tools []string
	for _, t := range l.Tools {
		b.AddTool(t)
		tools = append(tools, t.Name)
	}
	src := &source{path: name, text: text}
	out := make([]Condition, len(forms))
	for i, form := range forms {
		out[i].is, _ = b.compile(src, "a condition", form, tools)
	}
	if err := b.faults.err(rank([]*source{src})); err != nil {
		return nil, err
	}
	return out, nil
}

// Form is what the condition says, as a form. What was written as text is a form here.
func (c Condition) Form() sexpr.Value { return c.is.Form }

// Holds answers whether the condition holds for a case. The error is an *[Unjudged] where
// something that it reads is not known or of the wrong kind.
func (c Condition) Holds(on *skills.Case) (bool, error) { return c.is.Holds(on) }
