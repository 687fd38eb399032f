package authoring

import (
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
)

// Comparison prints which decisions flip between two rulebooks, by the clauses that decide.
func Comparison(c *console.Console, d Compared) {
	LeftOut(c, d.Gates, d.Removed)
	for _, f := range d.Flips {
		c.Printf("%6d  was %s, is %s\n", f.Count, f.Was, f.Is)
		for _, s := range f.Some {
			c.Printf("        %s\n", short(s))
		}
	}
	c.Printf("%d %s, %d decisions flip, %d change their clause or arguments\n", d.Requests, d.On, flips(d), d.Changed)
}

// LeftOut prints what a replay could not derive by itself.
func LeftOut(c *console.Console, gates []string, removed int) {
	for _, g := range gates {
		c.Printf("gate %s is on record and not in this program: its recorded answers were used\n", short(g))
	}
	if removed > 0 {
		c.Printf("%d decisions left out: retention removed what they rested on\n", removed)
	}
}

func flips(d Compared) (n int) {
	for _, f := range d.Flips {
		n += f.Count
	}
	return n
}

// ComparisonJSON is a comparison of two rulebooks.
func ComparisonJSON(d Compared) Object {
	groups := []Object{}
	for _, f := range d.Flips {
		groups = append(groups, Object{"was": f.Was, "is": f.Is, "count": f.Count, "examples": f.Some})
	}
	out := Object{"requests": d.Requests, "flips": flips(d), "groups": groups, "changed": d.Changed}
	if d.Removed > 0 {
		out["removed"] = d.Removed
	}
	if len(d.Gates) > 0 {
		out["gates"] = d.Gates
	}
	return out
}
