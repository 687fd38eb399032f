package rules

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
)

// AsksOrigin reports whether any condition of the rulebook asks where a value came from,
// or what the user wanted.
func (b *Rulebook) AsksOrigin() bool { return b.asks }

// Origins says where each value in the case's action came from, as the conditions of this
// rulebook are told.
func (b *Rulebook) Origins(c *skills.Case) ([]origin.Argument, error) { return b.words.Arguments(c) }

// Rewrote tells a case of a rewrite that the clause made on the way to the case's action.
func (b *Rulebook) Rewrote(c *skills.Case, clause string, set sexpr.Value) {
	literal := false
	for _, s := range b.skills {
		for _, g := range s.what.Gates {
			if g, ok := g.(*gate); ok && g.id == clause {
				w, _ := g.yes.(skills.Rewrite)
				literal = w.Literal
			}
		}
	}
	c.Rewritten(skills.Rewrite{Set: set, Literal: literal})
}
