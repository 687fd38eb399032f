package condition

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// target is a name of a condition, resolved.
type target struct {
	base code
	ref  *look.Path
	typ  facts.Type
	sure bool
	open bool
	tool bool // it is the tool of an earlier call
	// plain says that base is the value itself, with nothing to look up.
	plain *term
}

// name lowers a symbol: a path, or a list that deflist names.
func (l *lowerer) name(v sexpr.Value) term {
	if list := l.b.Lists[v.Text()]; list != nil {
		l.lists = noted(l.lists, list.Name)
		t := l.value(v.Pos(), list.Items, 1)
		return t
	}
	p, ok := l.path(v)
	if !ok {
		return term{code: constant(v.Pos(), false), pos: v.Pos(), bad: true, cost: 1}
	}
	if p.plain != nil {
		t := *p.plain
		t.pos = v.Pos()
		if t.open {
			t.code = native(v.Pos(), value.Known, t.code)
		}
		return t
	}
	return term{
		code: native(v.Pos(), look.Read, p.base, constant(v.Pos(), p.ref)), typ: p.typ, pos: v.Pos(),
		cost: 1 + len(p.ref.Keys), open: p.open, tool: p.tool,
		sure: p.sure && p.typ.Kind != facts.Bool, // a condition itself is held to be one when it is read
	}
}

// path resolves a symbol with dots.
func (l *lowerer) path(v sexpr.Value) (target, bool) {
	segs := strings.Split(v.Text(), ".")
	if slices.Contains(segs, "") {
		l.fail(v.Pos(), "%s is not a name: something is missing at a dot", v.Text())
		return target{}, false
	}
	if t, ok := l.local(v, segs[0]); ok {
		if t.bad {
			return target{}, false
		}
		return l.walk(v,
			target{base: t.code, ref: &look.Path{Name: v.Text()}, typ: t.typ, sure: t.sure, open: t.open, plain: &t},
			segs[1:])
	}
	p := target{base: viewCode(v.Pos()), ref: &look.Path{Name: v.Text()}, sure: true}
	if segs[0] == "now" {
		p.ref.Root, p.typ = look.Now, facts.Type{Kind: facts.Int}
		return l.walk(v, p, segs[1:])
	}
	below, ok := l.b.members[segs[0]]
	if !ok {
		l.unknownName(v, segs[0])
		return target{}, false
	}
	if len(segs) == 1 {
		if segs[0] == "action" {
			p.ref.Root, p.typ = look.Action, facts.Type{Kind: facts.Action}
			return p, true
		}
		l.fail(v.Pos(), "%s is not a value itself, expected %s", segs[0], Listed(segs[0]+".", keysOf(below)))
		return target{}, false
	}
	m, ok := below[segs[1]]
	if !ok {
		l.fail(v.Pos(), "unknown name %s.%s%s", segs[0], segs[1],
			spell.DidYouMean(segs[0]+"."+segs[1], prefixed(segs[0]+".", keysOf(below))))
		return target{}, false
	}
	p.ref.Root, p.typ = m.Root, m.Type
	if m.Root == look.Args {
		p.typ = l.argsType()
	}
	return l.walk(v, p, segs[2:])
}

// local finds it and the names that let gave.
func (l *lowerer) local(v sexpr.Value, name string) (term, bool) {
	if name == "it" {
		if len(l.its) == 0 {
			return l.fail(v.Pos(), "it stands for an element inside some, every, none, count, filter, map and sum alone"), true
		}
		t := l.its[len(l.its)-1]
		return t, true
	}
	for i := len(l.vars) - 1; i >= 0; i-- {
		if l.vars[i].name == name {
			return l.vars[i].term, true
		}
	}
	return term{}, false
}

// walk follows a path through members, as far as types tell.
func (l *lowerer) walk(v sexpr.Value, p target, keys []string) (target, bool) {
	for _, k := range keys {
		p.plain, p.sure = nil, false
		p.ref.Keys = append(p.ref.Keys, k)
		switch {
		case p.typ.Kind == facts.Any, p.typ.Kind == facts.Record && p.typ.Fields == nil:
			if p.ref.Root == look.Args && len(p.ref.Keys) == 1 && !l.spelledRight(v, k) {
				return p, false
			}
			p.typ = facts.Type{}
		case p.typ.Kind == facts.Record:
			f, ok := p.typ.Field(k)
			if !ok {
				l.unknownField(v, p.typ, k)
				return p, false
			}
			p.tool = p.typ.Name == earlierCall && k == "tool"
			p.typ = f.Type
		default:
			l.fail(v.Pos(), "%s has no member %s: it is a %s", strings.TrimSuffix(v.Text(), "."+strings.Join(keys, ".")),
				PrintKey(k), p.typ)
			return p, false
		}
	}
	return p, true
}
