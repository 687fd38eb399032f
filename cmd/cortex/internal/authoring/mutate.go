package authoring

import (
	"cmp"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/reason/author"
)

// Mutation prints how many planted faults the examples catch, and those they do not.
func Mutation(c *console.Console, m *author.Mutation) {
	for _, s := range m.Survived {
		c.Printf("%s %s:%s: %s\n  %s -> %s\n", console.Paint(c.Out, console.Red, "survives"), s.File, s.Pos, s.What,
			short(s.Was), short(cmp.Or(s.Is, "nothing")))
		c.Printf("  an example that would catch it: %s, %s (with the fault: %s)\n", s.Witness, s.Decided, s.Otherwise)
	}
	for _, s := range m.Equivalent {
		c.Printf("makes no difference that was found %s:%s: %s\n  %s -> %s\n", s.File, s.Pos, s.What, short(s.Was),
			short(cmp.Or(s.Is, "nothing")))
	}
	c.Printf("%d faults planted: %d caught, %d survived, %d make no difference that was found; %d did not load\n",
		m.Planted, m.Caught, len(m.Survived), len(m.Equivalent), m.Refused)
	c.Printf("score %d %%\n", m.Score())
}

// short is a form on one line of some hundred letters.
func short(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "..."
	}
	return text
}

// MutationJSON is how many planted faults the examples catch.
func MutationJSON(m *author.Mutation) Object {
	list := func(all []author.Survivor) []Object {
		out := []Object{}
		for _, s := range all {
			o := Object{"file": s.File, "line": s.Pos.Line, "col": s.Pos.Col, "what": s.What, "was": s.Was, "is": s.Is}
			if !s.Witness.IsNil() {
				o["witness"], o["decided"], o["otherwise"] = s.Witness.String(), s.Decided, s.Otherwise
			}
			out = append(out, o)
		}
		return out
	}
	return Object{"planted": m.Planted, "refused": m.Refused, "caught": m.Caught, "score": m.Score(),
		"survived": list(m.Survived), "equivalent": list(m.Equivalent)}
}
