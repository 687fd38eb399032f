package skills

import "github.com/opencortex-go/cortex/sexpr"

// Merge puts set deep into args, as a rewrite does: where both hold an object its
// members are merged, everything else is replaced, lists whole. It recurses as
// deep as set, which a rule's author wrote.
func Merge(args, set sexpr.Value) sexpr.Value {
	items := set.Items()
	for i := 0; i+1 < len(items); i += 2 {
		k, v := items[i].Text(), items[i+1]
		if old, ok := args.Get(k); ok && old.IsObject() && v.IsObject() {
			v = Merge(old, v)
		}
		args = args.With(k, v)
	}
	return args
}

// Rewritten is the action with set merged into its arguments and its tool and
// explanation as they are. An error means that the result has no canonical form.
func (a *Action) Rewritten(set sexpr.Value) (*Action, error) {
	return NewAction(a.tool, Merge(a.args, set), a.explanation)
}
