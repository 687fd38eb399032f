package reason

import (
	"context"
	"io/fs"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// LoadRules loads every *.lisp in the given folders, and refuses the load if an
// example in one of them does not come out as it says.
func LoadRules(roots ...fs.FS) (*rules.Rulebook, error) {
	rs := make([]rules.Root, len(roots))
	for i, r := range roots {
		rs[i] = rules.Root{FS: r}
	}
	return Loader(rules.Loader{}).Load(rs...)
}

// Loader returns l with [Decide] as the judge of its examples.
func Loader(l rules.Loader) rules.Loader {
	l.Judge = judgeExample
	return l
}

func judgeExample(ctx context.Context, p skills.Policy, proposal sexpr.Value, f *skills.Facts) (kind, key string,
	err error) {
	d := Decide(ctx, Request{Policy: p, Proposal: proposal, Facts: f, NoTrace: true})
	return d.Kind.String(), d.Key, nil
}
