package reason

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// protect keeps the action away from the protected places. It reports whether
// gates are to be asked.
func (r *run) protect() bool {
	p := r.req.Places
	if p == nil {
		return true
	}
	if p.named(r.d.Action.Args()) {
		r.deny(skills.Reason{Key: KeyProtection, Text: "this belongs to the guard itself and is out of bounds"})
		r.trace(Step{Round: r.d.Rounds, Gate: KeyProtection, Outcome: Rejected})
		return false
	}
	return true
}

// named reports whether a string of the arguments spells a protected place out.
func (p *Places) named(v sexpr.Value) bool {
	if v.Kind() == sexpr.String {
		for _, place := range p.Paths {
			if strings.Contains(v.Text(), place) {
				return true
			}
		}
	}
	for _, x := range v.Items() {
		if p.named(x) {
			return true
		}
	}
	return false
}
