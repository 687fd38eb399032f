package condition

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// member is one of the fixed names below action, signal, session and facts.
type member struct {
	root root
	typ  facts.Type
}

// members are the fixed names, by the word before their dot.
func members() map[string]map[string]member {
	str, obj := facts.Type{Kind: facts.String}, facts.Type{Kind: facts.Record}
	call := facts.Type{Kind: facts.Record, Name: "call", Fields: []facts.Field{
		{Name: "tool", Type: str}, {Name: "args", Type: obj}, {Name: "decision", Type: str}, {Name: "result"},
	}}
	return map[string]map[string]member{
		"action": {
			"tool": {rootTool, str}, "args": {rootArgs, obj}, "text": {rootText, str}, "explanation": {rootExplanation, str},
		},
		"signal": {
			"sensor": {rootSensor, str}, "source": {rootSource, str}, "session": {rootSignalSession, str},
			"text": {rootSignalText, str}, "from": {rootFrom, str},
		},
		"session": {
			"principal": {rootPrincipal, str}, "roles": {rootRoles, facts.ListOf(str, value.MaxList)},
			"user-text": {rootUserText, str}, "calls": {rootCalls, facts.ListOf(call, value.MaxList)},
		},
		"facts": {
			"ctx": {rootCtx, obj}, "env": {rootEnv, obj}, "work": {rootWork, obj}, "policy": {rootPolicy, obj},
		},
	}
}

// target is a name of a condition, resolved.
type target struct {
	base code
	ref  *ref
	typ  facts.Type
	sure bool
	open bool
	// plain says that base is the value itself, with nothing to look up.
	plain *term
}

// name lowers a symbol: a path, or a list that deflist names.
func (l *lowerer) name(v sexpr.Value) term {
	if list := l.b.Lists[v.Text()]; list != nil {
		l.noted(list.Name)
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
		code: native(v.Pos(), read, p.base, constant(v.Pos(), p.ref)), typ: p.typ, pos: v.Pos(),
		cost: 1 + len(p.ref.keys), sure: p.sure, open: p.open,
	}
}

// path resolves a symbol with dots.
func (l *lowerer) path(v sexpr.Value) (target, bool) {
	segs := strings.Split(v.Text(), ".")
	if slices.Contains(segs, "") {
		l.fail(v.Pos(), "%s is no name: something is missing at a dot", v.Text())
		return target{}, false
	}
	if t, ok := l.local(v, segs[0]); ok {
		if t.bad {
			return target{}, false
		}
		return l.walk(v, target{base: t.code, ref: &ref{name: v.Text()}, typ: t.typ, sure: t.sure, open: t.open, plain: &t},
			segs[1:])
	}
	p := target{base: machineCode(v.Pos()), ref: &ref{name: v.Text()}, sure: true}
	if segs[0] == "now" {
		p.ref.root, p.typ = rootNow, facts.Type{Kind: facts.Int}
		return l.walk(v, p, segs[1:])
	}
	below, ok := l.b.members[segs[0]]
	if !ok {
		l.unknownName(v, segs[0])
		return target{}, false
	}
	if len(segs) == 1 {
		if segs[0] == "action" {
			p.ref.root, p.typ = rootAction, facts.Type{Kind: facts.Action}
			return p, true
		}
		l.fail(v.Pos(), "%s is no value itself, expected %s", segs[0], Listed(segs[0]+".", keysOf(below)))
		return target{}, false
	}
	m, ok := below[segs[1]]
	if !ok {
		l.fail(v.Pos(), "unknown name %s.%s%s", segs[0], segs[1], spell.DidYouMean(segs[1], keysOf(below)))
		return target{}, false
	}
	p.ref.root, p.typ = m.root, m.typ
	if m.root == rootArgs {
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

func (l *lowerer) unknownName(v sexpr.Value, name string) {
	if l.src.Partial() { // it may be in a file that could not be read
		return
	}
	known := append(keysOf(l.b.members), keysOf(l.b.Lists)...)
	for _, x := range l.vars {
		known = append(known, x.name)
	}
	l.unknown(v, "unknown name %s%s", v.Text(), spell.DidYouMean(name, append(known, "now", "it")))
}

// walk follows a path through members, as far as types tell.
func (l *lowerer) walk(v sexpr.Value, p target, keys []string) (target, bool) {
	for _, k := range keys {
		p.plain, p.sure = nil, false
		p.ref.keys = append(p.ref.keys, k)
		switch {
		case p.typ.Kind == facts.Any, p.typ.Kind == facts.Record && p.typ.Fields == nil:
			if p.ref.root == rootArgs && len(p.ref.keys) == 1 && !l.spelledRight(v, k) {
				return p, false
			}
			p.typ = facts.Type{}
		case p.typ.Kind == facts.Record:
			f, ok := p.typ.Field(k)
			if !ok {
				l.unknownField(v, p.typ, k)
				return p, false
			}
			p.typ = f.Type
		default:
			l.fail(v.Pos(), "%s has no member %s: it is a %s", strings.TrimSuffix(v.Text(), "."+strings.Join(keys, ".")),
				PrintKey(k), p.typ)
			return p, false
		}
	}
	return p, true
}

func (l *lowerer) unknownField(v sexpr.Value, t facts.Type, k string) {
	var names []string
	for _, f := range t.Fields {
		if FoldEqual(f.Name, k) {
			l.fail(v.Pos(), "the name is spelled %s; write it so, in bars if it has capitals", PrintKey(f.Name))
			return
		}
		names = append(names, f.Name)
	}
	what := t.Name
	if what == "" {
		what = "the object"
	}
	l.fail(v.Pos(), "%s has no %s%s", what, PrintKey(k), spell.DidYouMean(k, names))
}

// spelledRight reports whether an argument of a tool that is not known here is
// spelled as some tool declares it. One that differs by case alone can only be
// a slip.
func (l *lowerer) spelledRight(v sexpr.Value, k string) bool {
	near := ""
	for _, t := range l.b.Tools {
		for _, p := range t.Params {
			if p.Name == k {
				return true
			}
			if FoldEqual(p.Name, k) && (near == "" || p.Name < near) {
				near = p.Name
			}
		}
	}
	if near != "" {
		l.fail(v.Pos(), "the name is spelled %s; write it so, in bars if it has capitals", PrintKey(near))
	}
	return near == ""
}

// argsType is the type of action.args on the tools that the action may be on.
func (l *lowerer) argsType() facts.Type {
	obj := facts.Type{Kind: facts.Record}
	if len(l.tools) == 0 {
		return obj
	}
	all := facts.Type{Kind: facts.Record, Name: strings.Join(l.tools, ", "), Fields: []facts.Field{}}
	for _, name := range l.tools {
		t := l.b.Tools[name]
		if t == nil {
			return obj // nobody declared it: anything may be there
		}
		for _, p := range t.Params {
			pt := typeOfParam(&p.Type)
			if i := slices.IndexFunc(all.Fields, func(f facts.Field) bool { return f.Name == p.Name }); i < 0 {
				all.Fields = append(all.Fields, facts.Field{Name: p.Name, Type: pt})
			} else if all.Fields[i].Type.Kind != pt.Kind || len(l.tools) > 1 &&
				(pt.Kind == facts.List || pt.Kind == facts.Record) {
				all.Fields[i].Type = facts.Type{}
			}
		}
	}
	return all
}

// typeOfParam is what a condition may expect of an argument that passed the
// schema.
func typeOfParam(t *skills.Type) facts.Type {
	if t.Nullable {
		return facts.Type{}
	}
	switch t.Kind {
	case skills.KindString, skills.KindEnum, skills.KindCommand, skills.KindPath, skills.KindHost, skills.KindURL,
		skills.KindSQL:
		return facts.Type{Kind: facts.String}
	case skills.KindBoolean:
		return boolean
	case skills.KindInteger:
		return facts.Type{Kind: facts.Int}
	case skills.KindNumber:
		return numeric
	case skills.KindList:
		out := facts.Type{Kind: facts.List}
		if t.Elem != nil {
			e := typeOfParam(t.Elem)
			out.Elem = &e
		}
		return out
	case skills.KindObject:
		out := facts.Type{Kind: facts.Record, Fields: []facts.Field{}}
		for _, p := range t.Params {
			out.Fields = append(out.Fields, facts.Field{Name: p.Name, Type: typeOfParam(&p.Type)})
		}
		return out
	case skills.KindAny:
	}
	return facts.Type{}
}

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
		out.code = native(p, has, at.base, r)
		return out
	case "missing?":
		out.code = native(p, missing, at.base, r)
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
		return l.fail(def.pos, "the default is %s, but %s is a %s", described(def), at.ref.name, at.typ)
	}
	base := at.base
	if at.ref.root == rootValue { // needed twice
		tmp := l.temp()
		v := varCode(p, tmp)
		out.code = bind(p, tmp, base, choose(p, native(p, has, v, r), native(p, read, v, r), def.code))
		return out
	}
	out.code = choose(p, native(p, has, base, r), native(p, read, machineCode(p), r), def.code)
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
		p := target{base: obj.code, ref: &ref{name: name, keys: []string{k}}, open: obj.open}
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
	if len(p.ref.keys) == 0 && (p.ref.root == rootValue || p.ref.root == rootAction) {
		l.fail(v.Pos(), "%s is always there; %s looks at a part of it", v.Text(), op)
		return p, 1, false
	}
	return p, 1 + len(p.ref.keys), true
}

func keysOf[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Listed spells a few alternatives: "signal.from, signal.sensor or signal.text".
func Listed(prefix string, names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(prefix + n)
	}
	return b.String()
}

// fold is a name as the reader folds it: A-Z alone.
func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = foldByte(c)
	}
	return string(b)
}

// FoldEqual compares names as fold has them.
func FoldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if foldByte(a[i]) != foldByte(b[i]) {
			return false
		}
	}
	return true
}

func foldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
