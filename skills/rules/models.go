package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// maxModels bounds how many providers one rule names.
const maxModels = 16

// modelRule is a defmodels: which models are asked when its condition holds.
// Nothing that decides on an action looks at one.
type modelRule struct {
	skills.ModelRule
	priority int
	when     condition.Condition
}

var _ skills.Selector = (*Rulebook)(nil)

// ModelRules returns every defmodels, in the order in which they are tried: by
// falling priority, then as they were loaded.
func (b *Rulebook) ModelRules() []skills.ModelRule {
	out := make([]skills.ModelRule, len(b.models))
	for i, m := range b.models {
		out[i] = m.ModelRule
	}
	return out
}

// SelectModels returns what the first defmodels says whose condition holds. One
// that cannot be judged is passed over, and told of.
func (b *Rulebook) SelectModels(c *skills.Case) skills.Selection {
	var out skills.Selection
	for _, m := range b.models {
		yes, err := m.when.Holds(c)
		switch {
		case err != nil:
			out.Faults = append(out.Faults, fmt.Errorf("%s: defmodels %s: %w", m.Pos, m.Name, err))
		case yes:
			out.Rule, out.Use = m.Name, m.Use
			return out
		}
	}
	return out
}

// modelRules compiles every defmodels.
func (d *definitions) modelRules() []*modelRule {
	var out []*modelRule
	for _, f := range d.models {
		if m, ok := d.model(f.src, f.v); ok {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *modelRule) int { return cmp.Compare(b.priority, a.priority) })
	return out
}

// model reads one defmodels.
func (d *definitions) model(s *source, v sexpr.Value) (*modelRule, bool) {
	name, ok := d.name(s, v)
	if !ok {
		return nil, false
	}
	f := d.b.fields(s, v, 2, "defmodels")
	out := &modelRule{
		ModelRule: skills.ModelRule{Name: name, Doc: f.text("doc"), Use: f.providers(), Pos: s.path + ":" + v.Pos().String()},
		priority:  int(f.number("priority", -1<<31, 1<<31-1, 0)), when: d.b.Always(),
	}
	w, ok := f.get("when")
	if !ok {
		return out, true
	}
	if out.when, ok = d.b.compile(s, "defmodels "+name, w, nil); !ok {
		return nil, false
	}
	looks := looksAtAction(out.when.Form)
	for name := range out.when.Definitions {
		looks = looks || looksAtAction(d.b.Definitions[name].Body)
	}
	if looks {
		f.fail("when", "%s looks at the action, but the models are chosen before there is one", f.what)
		return nil, false
	}
	return out, true
}

// providers reads :use.
func (f *fields) providers() []string {
	v, _ := f.get("use")
	var out []string
	for _, x := range v.Items() {
		if x.Kind() != sexpr.String || x.Text() == "" || contains(out, x.Text()) {
			out = nil
			break
		}
		out = append(out, x.Text())
	}
	if len(out) == 0 || len(out) > maxModels {
		f.fault("use",
			fmt.Sprintf(`names of model providers, each once and at most %d, such as ("small" "large")`, maxModels))
	}
	return out
}

// looksAtAction reports whether a condition names the action. No other name
// begins so: none that is built in can be given to anything else.
func looksAtAction(v sexpr.Value) bool {
	if v.Kind() == sexpr.Symbol {
		return v.IsSym("action") || strings.HasPrefix(v.Text(), "action.")
	}
	return slices.ContainsFunc(v.Items(), looksAtAction)
}
