package reason

import (
	"context"
	"io/fs"

	"github.com/opencortex-go/cortex/sexpr"
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

func judgeExample(ctx context.Context, e *rules.Example) (rules.Found, error) {
	return DecideExample(ctx, e).Found(), nil
}

// DecideExample decides on the proposal of an example, and traces what passed.
func DecideExample(ctx context.Context, e *rules.Example) *Decision {
	return Decide(ctx,
		Request{Policy: e.Policy, Proposal: e.Proposal, Facts: e.Facts, Lookup: e.Lookup, Passes: true})
}

// Found is the decision as examples of rules speak of it. What passed is known of a
// decision that was traced with its passes alone.
func (d *Decision) Found() rules.Found {
	f := rules.Found{Kind: d.Kind.String(), Key: d.Key, Args: sexpr.EmptyObject()}
	if d.Action != nil {
		f.Args = d.Action.Args()
	}
	switch {
	case len(d.Reasons) > 0:
		f.Reason = d.Reasons[0].Text
	case len(d.Vouched) > 0:
		f.Reason = d.Vouched[0].Text
	}
	if d.Hint != nil {
		f.Hint = d.Hint.Edit
	}
	for _, s := range d.Trace {
		if s.Outcome == Passed && s.Round == d.Rounds && s.Note == "" {
			f.Passed = append(f.Passed, s.Gate)
		}
	}
	return f
}
