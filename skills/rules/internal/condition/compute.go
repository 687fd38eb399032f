package condition

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

func (l *lowerer) arithmetic(p sexpr.Pos, op string, args []sexpr.Value) term {
	two := map[string]func(a, b any) any{"+": value.Add, "-": value.Subtract, "*": value.Multiply, "/": value.Divide,
		"min": value.Min, "max": value.Max, "mod": value.Modulo}[op]
	one := map[string]func(any) any{"-": value.Negate, "floor": value.Floor, "abs": value.Absolute}[op]
	out := term{typ: numeric, pos: p, cost: 1, sure: true}
	integers := op != "/"
	for i, a := range args {
		t := l.form(a)
		c := l.number(&t)
		if i == 0 {
			out.code = c
		} else {
			out.code = native(p, two, out.code, c)
		}
		integers = integers && t.typ.Kind == facts.Int
		out.cost += 1 + t.cost
		out.bad = out.bad || t.bad
	}
	if len(args) == 1 {
		out.code = native(p, one, out.code)
	}
	if integers || op == "floor" || op == "mod" {
		out.typ.Kind = facts.Int
	}
	return out
}

func (l *lowerer) substring(p sexpr.Pos, op string, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	name := map[string]string{"contains?": "contains", "starts-with?": "startsWith", "ends-with?": "endsWith"}[op]
	c := both(p, name, l.text(&a), l.text(&b))
	return term{code: c, typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad || b.bad}
}

// MaxPattern bounds a pattern, in bytes.
const MaxPattern = 1 << 10

func (l *lowerer) matches(p sexpr.Pos, args []sexpr.Value) term {
	a, b := l.form(args[0]), l.form(args[1])
	pattern, ok := b.lit.(string)
	switch {
	case b.bad:
		return b
	case b.any:
		l.text(&a)
		return term{code: a.code, typ: boolean, pos: p, cost: 1, sure: true, bad: a.bad}
	case !ok:
		hint := ""
		if _, first := a.lit.(string); first {
			hint = "; it comes last: (matches? TEXT \"PATTERN\")"
		}
		return l.fail(b.pos, "a pattern is a literal string%s", hint)
	case len(pattern) > MaxPattern:
		return l.fail(b.pos, "a pattern of %d bytes, expected at most %d", len(pattern), MaxPattern)
	}
	if err := l.meter.pattern(pattern); err != nil {
		return l.fail(b.pos, "%s", err)
	}
	re, err := value.NewPattern(pattern)
	if err != nil {
		return l.fail(b.pos, "the pattern cannot be read: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	l.text(&a)
	c := native(p, value.Matched, a.code, constant(b.pos, re)) // expr's own operator compiles a pattern twice
	return term{code: c, typ: boolean, pos: p, cost: 1 + a.cost + b.cost, sure: true, bad: a.bad}
}

func (l *lowerer) measure(p sexpr.Pos, op string, arg sexpr.Value) term {
	t := l.form(arg)
	out := term{typ: facts.Type{Kind: facts.Int}, pos: p, cost: 1 + t.cost, sure: true, bad: t.bad}
	if op == "len" {
		switch k := t.typ.Kind; {
		case t.bad, k == facts.String, k == facts.List, k == facts.Record, k == facts.Any && t.lit == nil:
			out.code = native(p, value.LengthOf, t.code)
			return out
		}
		out.code, out.bad = l.wrong(&t, "a string, a list or an object"), true
		return out
	}
	out.typ = text
	out.code = native(p, map[string]func(any) any{"upper": value.Upper, "lower": value.Lower}[op], l.text(&t))
	out.bad = t.bad
	return out
}
