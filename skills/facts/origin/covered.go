package origin

import (
	"slices"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// Covered is the name of the question whether a person has covered the action.
const Covered = "covered?"

// covered is the function that asks whether a person has covered the action.
func (w *Words) covered() facts.Function {
	return facts.Function{
		Name: Covered, Result: facts.Type{Kind: facts.Bool}, Cost: costAction,
		Doc: "Whether a person who approved a call said that more like it need no question: of this tool, by this " +
			"principal, with orders and values from the same sources. Only the condition of an ask may use it.",
		Call: func(c *skills.Case, _ []any) (any, error) {
			v, err := w.view(c)
			if err != nil {
				return nil, err
			}
			standing, err := c.Covers(c.Action().Tool())
			if err != nil || len(standing) == 0 {
				return false, err
			}
			from, known := sources(v)
			return known && slices.ContainsFunc(standing, func(x skills.Cover) bool { return covers(x, c, from) }), nil
		},
	}
}

// covers reports whether a cover holds for a call of its tool, with values from these sources.
func covers(x skills.Cover, c *skills.Case, from []uint64) bool {
	f := c.Facts()
	return x.Left > 0 && f.Now < x.Until && x.Principal == f.Session.Principal && x.Approved != c.Action().Digest() &&
		!slices.ContainsFunc(from, func(s uint64) bool { return !slices.Contains(x.Sources, s) })
}

// Sources lists, in order, the records that the case's action takes orders and values from
// that the user did not give; 0 stands for values that stand nowhere. It reports false if
// they are not known, or if no condition has asked about origin yet.
func Sources(c *skills.Case) ([]uint64, bool) {
	v, ok := c.Shared(viewKey).(*provenance.View)
	if !ok {
		return nil, false
	}
	return sources(v)
}

func sources(v *provenance.View) (out []uint64, known bool) {
	n, at, err := v.Commanded(provenance.ByAny)
	if err != nil {
		return nil, false
	}
	if n > 0 {
		out = append(out, uint64(at.Ref))
	}
	for _, a := range v.Arguments(nil) {
		switch {
		case a.Err != nil:
			return nil, false
		case a.Origin >= provenance.Prose:
			out = append(out, uint64(a.Where.Ref))
		case a.Strong && a.Origin > provenance.Trusted && a.Origin != provenance.Record:
			out = append(out, 0)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), true
}
