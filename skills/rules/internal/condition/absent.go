package condition

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
)

// absence lowers the three forms that may be asked about what is not there:
//
//	(has? PATH) (missing? PATH) (get PATH DEFAULT)
//	(has? OBJECT KEY) (missing? OBJECT KEY) (get OBJECT KEY DEFAULT)
func (l *lowerer) absence(p sexpr.Pos, op string, args []sexpr.Value) term {
	rest := 0
	if op == "get" {
		rest = 1
	}
	at, cost, ok := l.place(op, args[:len(args)-rest])
	out := term{pos: p, cost: 1 + cost, typ: boolean, sure: true, bad: !ok}
	if !ok {
		out.code = constant(p, false)
		if op == "get" {
			l.form(args[len(args)-1])
		}
		return out
	}
	r := constant(p, at.ref)
	switch op {
	case "has?":
		out.code = native(p, look.Has, at.base, r)
		return out
	case "missing?":
		out.code = native(p, look.Missing, at.base, r)
		return out
	}
	def := l.form(args[len(args)-1])
	out.cost += cost + def.cost
	out.bad = def.bad
	out.typ, out.sure, out.open, out.found = facts.Type{}, false, at.open || def.open, def.found
	if def.typ.Kind == at.typ.Kind {
		out.typ = merged(at.typ, def.typ)
	}
	if at.typ.Kind != facts.Any && !comparable(term{typ: at.typ}, def) {
		return l.fail(def.pos, "the default is %s, but %s is a %s", described(def), at.ref.Name, at.typ)
	}
	base := at.base
	if at.ref.Root == look.Value { // needed twice
		tmp := l.temp()
		v := varCode(p, tmp)
		out.code = bind(p, tmp, base, choose(p, native(p, look.Has, v, r), native(p, look.Read, v, r), def.code))
		return out
	}
	out.code = choose(p, native(p, look.Has, base, r), native(p, look.Read, viewCode(p), r), def.code)
	return out
}

// place resolves what has?, missing? and get look at.
func (l *lowerer) place(op string, args []sexpr.Value) (target, int, bool) {
	if len(args) == 2 {
		obj := l.form(args[0])
		k, ok := l.key(args[1])
		if !ok || obj.bad {
			return target{}, 1, false
		}
		if obj.typ.Kind != facts.Record && obj.typ.Kind != facts.Any || obj.lit != nil {
			l.wrong(&obj, "an object such as action.args")
			return target{}, 1, false
		}
		name := args[0].Text() + "." + PrintKey(k)
		p := target{base: obj.code, ref: &look.Path{Name: name, Keys: []string{k}}, open: obj.open}
		if f, ok := obj.typ.Field(k); ok {
			p.typ = f.Type
		} else if obj.typ.Fields != nil {
			l.unknownField(args[1], obj.typ, k)
			return p, 1, false
		}
		return p, obj.cost + 1, true
	}
	v := args[0]
	if v.Kind() != sexpr.Symbol || l.b.Lists[v.Text()] != nil {
		l.fail(v.Pos(), "%s looks at a name such as action.args.timeout, or at an object and a key", op)
		return target{}, 1, false
	}
	p, ok := l.path(v)
	if !ok {
		return p, 1, false
	}
	if len(p.ref.Keys) == 0 && (p.ref.Root == look.Value || p.ref.Root == look.Action) {
		l.fail(v.Pos(), "%s is always there; %s looks at a part of it", v.Text(), op)
		return p, 1, false
	}
	return p, 1 + len(p.ref.Keys), true
}
