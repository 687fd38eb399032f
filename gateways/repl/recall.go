package repl

import "github.com/opencortex-go/cortex/sexpr"

// Recall puts the last results, newest first, in the place of *, ** and ***,
// where these do not begin a form. A client that speaks over several connections
// does it for itself; a session does it for everybody else.
func Recall(form sexpr.Value, last [3]sexpr.Value) sexpr.Value { return recall(form, last, true) }

func recall(v sexpr.Value, last [3]sexpr.Value, value bool) sexpr.Value {
	if v.Kind() == sexpr.Symbol && value {
		for i, name := range []string{"*", "**", "***"} {
			if v.IsSym(name) {
				return sexpr.ListOf(sexpr.Sym("quote").At(v.Pos()), last[i]).At(v.Pos())
			}
		}
	}
	if v.Len() == 0 || v.Items()[0].IsSym("quote") {
		return v
	}
	items := make([]sexpr.Value, v.Len())
	for i, x := range v.Items() {
		items[i] = recall(x, last, i > 0)
	}
	return sexpr.ListOf(items...).At(v.Pos())
}

// TakesOperator reports whether a form is one that only an operator may have
// evaluated, on the approval socket.
func TakesOperator(v sexpr.Value) bool {
	if v.Len() == 0 || v.Items()[0].Kind() != sexpr.Symbol {
		return false
	}
	for _, f := range forms() {
		if v.Items()[0].IsSym(f.name) {
			return f.operator != nil && f.operator(v.Items()[1:])
		}
	}
	return false
}
