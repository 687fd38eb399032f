package condition

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

func (l *lowerer) equality(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	l.checkToolName(args[0], a, b)
	l.checkToolName(args[1], b, a)
	l.checkWord(a, b)
	l.checkWord(b, a)
	out := term{typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
	if !out.bad && !comparable(a, b) {
		return l.fail(p, "%s and %s are never equal", described(a), described(b))
	}
	out.code = native(p, value.Equal, a.code, b.code)
	if op == "/=" {
		out.code = notCode(p, out.code)
	}
	return out
}

func (l *lowerer) membership(p sexpr.Pos, args []sexpr.Value) term {
	x, xs := l.form(args[0]), l.form(args[1])
	out := term{typ: boolean, pos: p, sure: true, cost: 1 + x.cost + xs.cost, bad: x.bad || xs.bad}
	if xs.typ.Kind == facts.String && !xs.bad {
		return l.fail(xs.pos, "found a string, expected a list; (contains? TEXT PART) looks into a text")
	}
	most, ok := l.list(&xs)
	if !ok || x.bad {
		out.code, out.bad = constant(p, false), true
		return out
	}
	if lit, ok := xs.lit.([]any); ok {
		set := &value.Words{Has: make(map[string]bool, len(lit))}
		for _, e := range lit {
			et := term{typ: typeOf(e), lit: e, pos: xs.pos}
			if !comparable(x, et) {
				return l.fail(p, "%s and %s are never equal", described(x), described(et))
			}
			l.checkToolName(args[0], x, et)
			l.checkWord(x, et)
			if s, ok := e.(string); ok && set != nil {
				set.Has[s] = true
			} else {
				set = nil
			}
		}
		if set != nil && len(lit) > 0 {
			out.code = native(p, value.InWords, x.code, constant(p, set))
			return out
		}
		if len(lit) > value.MaxList {
			return l.fail(xs.pos, "a list of %d elements, expected at most %d, or strings alone", len(lit), value.MaxList)
		}
	} else if e := l.element(xs); !comparable(x, e) {
		return l.fail(p, "%s and %s are never equal", described(x), described(e))
	}
	out.cost += int(most)
	out.code = native(p, value.In, x.code, xs.code)
	return out
}

func (l *lowerer) ordering(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	out := term{typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
	for _, t := range []*term{&a, &b} {
		if k := t.typ.Kind; !t.bad &&
			(!isNumber(k) && k != facts.String && k != facts.Any || k == facts.Any && t.lit != nil) {
			l.wrong(t, "a number or a string")
			out.bad = true
		}
	}
	if !out.bad && !comparable(a, b) {
		return l.fail(p, "%s and %s cannot be compared", described(a), described(b))
	}
	f := map[string]func(a, b any) bool{"<": value.Less, "<=": value.LessEqual, ">": value.More, ">=": value.MoreEqual}[op]
	out.code = native(p, f, a.code, b.code)
	return out
}
