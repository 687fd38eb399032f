package rules

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/rules/internal/mend"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// hint reads :hint of a clause or an invariant that denies by these conditions. It
// returns what an edit may be made of, or nil if no hint is asked for.
func (d *definitions) hint(f *fields, conditions ...sexpr.Value) *skills.Mend {
	if !f.flag("hint") {
		return nil
	}
	m, asks := mend.Read(d.mendNames(), conditions...)
	switch {
	case asks != "":
		f.fail("hint", "what %s denies rests on origin (%s), and no edit of the model's mends where a value came from; "+
			"take :hint out", f.what, asks)
	case len(m.Parts) == 0:
		f.fail("hint", "the condition of %s reads no argument, so no edit of the arguments mends what it denies; "+
			"take :hint out", f.what)
	}
	return m
}

// mendNames are the names that conditions of these files may use.
func (d *definitions) mendNames() mend.Names {
	functions := origin.Functions(new(origin.Words))
	return mend.Names{
		List: func(name string) (out []sexpr.Value, ok bool) {
			l := d.b.Lists[name]
			if l == nil {
				return nil, false
			}
			for _, x := range l.Items {
				if v, err := value.Form(x); err == nil {
					out = append(out, v)
				}
			}
			return out, true
		},
		Definition: func(name string) ([]sexpr.Value, sexpr.Value, bool) {
			def := d.b.Definitions[name]
			if def == nil {
				return nil, sexpr.Nil(), false
			}
			return def.Params, def.Body, true
		},
		Origin: func(name string) bool {
			return slices.ContainsFunc(functions, func(f facts.Function) bool { return f.Name == name })
		},
	}
}

// uncovered complains of a form that asks whether a person has covered the action, where the
// answer would lift a denial or allow what nothing else does.
func (d *definitions) uncovered(s *source, what string, at sexpr.Value, forms ...sexpr.Value) {
	names := d.mendNames()
	names.Origin = func(name string) bool { return name == origin.Covered }
	if _, uses := mend.Read(names, forms...); uses != "" {
		d.b.faults.add(s, at.Pos(), nil, "%s asks (%s), and only the condition of an ask may: a cover spares a question, "+
			"and lifts no denial", what, uses)
	}
}
