package lint

import (
	"github.com/opencortex-go/cortex/sexpr"
)

// fact is a test that a condition makes, or its opposite.
type fact struct {
	form sexpr.Value
	not  bool
}

// conjunction is facts that hold together.
type conjunction []fact

// maxCases bounds the ways in which a condition can hold that are looked at.
const maxCases = 192

// maxFacts bounds the facts of one way.
const maxFacts = 256

// cases are the ways in which a condition holds, or does not: the disjunctive normal
// form. ok is false if there are too many.
func (n names) cases(v sexpr.Value, not bool) (out []conjunction, ok bool) {
	items := v.Items()
	if v.Kind() != sexpr.List || len(items) == 0 || items[0].Kind() != sexpr.Symbol {
		return n.constant(v, not)
	}
	args := items[1:]
	switch op := items[0].Text(); {
	case op == "not" && len(args) == 1:
		return n.cases(args[0], !not)
	case op == "and" && !not, op == "or" && not:
		out = []conjunction{nil}
		for _, a := range args {
			more, ok := n.cases(a, not)
			if out, ok = both(out, more, ok); !ok {
				return nil, false
			}
		}
		return out, true
	case op == "or", op == "and":
		for _, a := range args {
			more, ok := n.cases(a, not)
			if out = append(out, more...); !ok || len(out) > maxCases {
				return nil, false
			}
		}
		return out, true
	case op == "if" && len(args) == 3:
		yes, ok1 := n.cases(args[0], false)
		then, ok2 := n.cases(args[1], not)
		no, ok3 := n.cases(args[0], true)
		other, ok4 := n.cases(args[2], not)
		first, ok5 := both(yes, then, ok1 && ok2)
		second, ok6 := both(no, other, ok3 && ok4)
		return append(first, second...), ok5 && ok6
	case (op == "every" || op == "every-or-empty") && len(args) == 2:
		return []conjunction{{{some(v, args[0], call("not", args[1])), !not}}}, true
	case (op == "none" || op == "none-or-empty") && len(args) == 2:
		return []conjunction{{{some(v, args[0], args[1]), !not}}}, true
	}
	return []conjunction{{{v, not}}}, true
}

// constant is the case of t, of nil, and of a name that is itself a condition.
func (n names) constant(v sexpr.Value, not bool) ([]conjunction, bool) {
	switch {
	case v.IsSym("t"):
		return truth(!not), true
	case v.IsSym("false"), v.IsNil():
		return truth(not), true
	case v.Kind() == sexpr.Symbol:
		return []conjunction{{{call("=", v, sexpr.T()), not}}}, true
	}
	return nil, false // text in expr's syntax
}

// truth is one way without any test, or none.
func truth(holds bool) []conjunction {
	if holds {
		return []conjunction{nil}
	}
	return nil
}

// both joins each case of a with each of b.
func both(a, b []conjunction, ok bool) ([]conjunction, bool) {
	if !ok || len(a)*len(b) > maxCases {
		return nil, false
	}
	var out []conjunction
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxFacts {
				return nil, false
			}
			out = append(out, append(x[:len(x):len(x)], y...))
		}
	}
	return out, true
}

func call(op string, args ...sexpr.Value) sexpr.Value {
	return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym(op)}, args...)...)
}

func some(at, list, body sexpr.Value) sexpr.Value { return call("some", list, body).At(at.Pos()) }
