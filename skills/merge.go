package skills

import "github.com/opencortex-go/cortex/sexpr"

// Merge merges set deep into args, as a rewrite does: it merges objects member by
// member and replaces everything else, lists as a whole. It recurses as deep as set,
// which a rule's author wrote.
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

// Rewritten returns the action with set merged into its arguments, and with its tool
// and explanation unchanged. An error means that the result has no canonical form.
func (a *Action) Rewritten(set sexpr.Value) (*Action, error) {
	return NewAction(a.tool, Merge(a.args, set), a.explanation)
}
