package condition

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// maxNesting is how many loops may stand inside each other.
const maxNesting = 2

// loop lowers some every none count filter map sum. Inside, it is the element.
func (l *lowerer) loop(p sexpr.Pos, op string, args []sexpr.Value) term {
	xs := l.form(args[0])
	most, ok := l.list(&xs)
	body := term{pos: p}
	if len(args) == 2 {
		if l.loops == maxNesting {
			return l.fail(p, "%s inside %d others, expected at most %d loops inside each other", op, maxNesting, maxNesting)
		}
		body = l.each(args[1], l.element(xs))
	}
	if body.lit != nil && !body.bad && comparedBy(op) && body.typ.Kind != facts.Bool && !isEmptyList(body.lit) {
		return l.fail(body.pos, "found %s, expected a condition about each element; to compare, write (= it %s)",
			described(body), clip(args[1]))
	}
	out := term{pos: p, typ: boolean, sure: true, cost: 1 + xs.cost + int(most)*max(1, body.cost), bad: !ok || xs.bad ||
		body.bad}
	l.priced(p, op, args[0], int(most), max(1, body.cost), out.cost)
	if out.bad {
		out.code = constant(p, false)
		return out
	}
	switch op {
	case "count":
		out.typ.Kind = facts.Int
		out.code = native(p, value.ToInt64, loop(p, "count", l.countable(xs, most), l.truth(&body)))
	case "filter":
		out.typ = facts.Type{Kind: facts.List, Max: int(most), Elem: xs.typ.Elem}
		out.open, out.found = xs.open, xs.found
		out.code = loop(p, "filter", l.countable(xs, most), l.truth(&body))
	case "map":
		out.open, out.found = body.open, xs.found
		if body.typ.Kind == facts.Action {
			return l.fail(body.pos, "the action itself is not a value; write action.args or a part of it")
		}
		out.typ = facts.Type{Kind: facts.List, Max: int(most), Elem: &body.typ}
		out.code = loop(p, "map", l.countable(xs, most), body.code)
	case "sum":
		out.typ = numeric
		list := l.countable(xs, most)
		if len(args) == 2 {
			list = loop(p, "map", list, l.number(&body))
		} else if e := l.element(xs); !isNumber(e.typ.Kind) && e.typ.Kind != facts.Any {
			l.wrong(&xs, "a list of numbers")
		}
		out.code = native(p, value.Sum, list)
	default:
		out.code = l.quantifier(p, op, xs, most, l.truth(&body))
	}
	out.open = out.open || out.found
	out.bad = body.bad || xs.bad
	return out
}

// comparedBy reports whether a loop asks a condition of each element.
func comparedBy(op string) bool { return op != "map" && op != "sum" }

// each lowers what a loop asks of every element.
func (l *lowerer) each(v sexpr.Value, element term) term {
	l.its, l.loops = append(l.its, element), l.loops+1
	defer func() { l.its, l.loops = l.its[:len(l.its)-1], l.loops-1 }()
	return l.form(v)
}

// closed is the code of a list that is wanted whole.
func (l *lowerer) closed(xs term, most value.Limit) code { return listCode(xs, most, value.Closed) }

// countable is the code of a list that must be known to its end, and in number.
func (l *lowerer) countable(xs term, most value.Limit) code {
	return listCode(xs, most, value.Countable)
}

func listCode(xs term, most value.Limit, check func(v, most any) any) code {
	if xs.lit != nil {
		return xs.code
	}
	return native(xs.pos, check, xs.code, constant(xs.pos, most))
}

// quantifier is the code of some, every and none. They go through a list that is
// cut off as far as it is known: what is found there counts, and only who gets
// to the end has met something unknown.
func (l *lowerer) quantifier(p sexpr.Pos, op string, xs term, most value.Limit, body code) code {
	name := map[string]string{"some": "any", "every": "all", "every-or-empty": "all", "none": "none",
		"none-or-empty": "none"}[op]
	if name == "" {
		panic(fmt.Sprintf("rules: no operator %s", op))
	}
	if !xs.open {
		return loop(p, name, l.closed(xs, most), body)
	}
	start := value.Front
	if xs.found && (op == "every" || op == "none") {
		start = value.SomeFront
	}
	list := l.temp()
	whole := loop(p, name, native(xs.pos, start, varCode(p, list), constant(p, most)), body)
	if op == "some" {
		return bind(p, list, xs.code, both(p, "or", whole, native(xs.pos, value.Cut, varCode(p, list))))
	}
	return bind(p, list, xs.code, both(p, "and", whole, native(xs.pos, value.Ended, varCode(p, list))))
}
