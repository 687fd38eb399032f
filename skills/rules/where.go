package rules

import (
	"cmp"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Rule is one clause or invariant, or one skill, and where it stands.
type Rule struct {
	ID   string // "skill/clause", "invariant/name", or the name of a skill
	Kind string // "deny", "ask", "allow", "rewrite", "definvariant", "defskill"
	File string
	Pos  sexpr.Pos
	Form sexpr.Value // as it is written
	// OnTop says that it stands in a root that only adds to others, and in no other root.
	OnTop bool
	// Asks is whom an ask asks; nil for anything else.
	Asks *skills.Slot
}

// Rules returns every clause, in the order in which they are asked, and then
// every invariant by name.
func (b *Rulebook) Rules() []Rule {
	var out []Rule
	for _, s := range b.inOrder() {
		for _, g := range s.what.Gates {
			if g, ok := g.(*gate); ok {
				out = append(out, g.rule())
			}
		}
	}
	for _, i := range b.holds {
		out = append(out, i.what.rule())
	}
	return out
}

// Rule finds a clause or an invariant by its id, or a skill by its name.
func (b *Rulebook) Rule(id string) (Rule, bool) {
	for _, s := range b.skills {
		for _, g := range s.what.Gates {
			if g, ok := g.(*gate); ok && g.id == id {
				return g.rule(), true
			}
		}
	}
	for _, i := range b.holds {
		if i.what.id == id {
			return i.what.rule(), true
		}
	}
	for _, s := range b.skills {
		if s.what.Name != id {
			continue
		}
		for _, f := range s.src.forms {
			if items := f.Items(); len(items) > 1 && items[0].IsSym("defskill") && items[1].Text() == id {
				return Rule{ID: id, Kind: "defskill", File: s.src.path, Pos: f.Pos(), Form: f}, true
			}
		}
	}
	return Rule{}, false
}

// inOrder are the skills as they are asked.
func (b *Rulebook) inOrder() []defined[*skills.Skill] {
	out := slices.Clone(b.skills)
	slices.SortFunc(out, func(x, y defined[*skills.Skill]) int {
		return cmp.Or(cmp.Compare(y.what.Priority, x.what.Priority), cmp.Compare(x.what.Name, y.what.Name))
	})
	return out
}

func (g *gate) rule() Rule {
	r := Rule{ID: g.id, Kind: kindOfClause(g.form), File: g.src.path, Pos: g.pos, Form: g.form, OnTop: !g.src.counts}
	if ask, ok := g.yes.(skills.Ask); ok {
		r.Asks = &ask.Slot
	}
	return r
}
