package condition

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// junction lowers and, or: left to right, and no further than needed. In an and,
// a test of action.tool says on which tools the rest is asked.
func (l *lowerer) junction(p sexpr.Pos, op string, args []sexpr.Value) term {
	outer := l.tools
	defer func() { l.tools = outer }()
	out := term{typ: boolean, pos: p, cost: 1, sure: true}
	for i, a := range args {
		t := l.form(a)
		c := l.truth(&t)
		if i == 0 {
			out.code = c
		} else {
			out.code = both(p, op, out.code, c)
		}
		out.cost += t.cost
		out.bad = out.bad || t.bad
		if op == "and" {
			l.tools = narrowed(l.tools, toolTest(l.b.opened(a)))
		}
	}
	return out
}

// toolTest returns the tools for which a form may be true, if it is nothing but
// a test of action.tool; nil if it is anything else.
func toolTest(v sexpr.Value) []string {
	items := v.Items()
	if len(items) != 3 {
		return nil
	}
	a, b := items[1], items[2]
	switch {
	case items[0].IsSym("=") && a.IsSym("action.tool") && isName(b):
		return []string{b.Text()}
	case items[0].IsSym("=") && b.IsSym("action.tool") && isName(a):
		return []string{a.Text()}
	case items[0].IsSym("in") && a.IsSym("action.tool"):
		if b.Len() == 2 && b.Items()[0].IsSym("quote") {
			b = b.Items()[1]
		}
		out := []string{}
		for _, x := range b.Items() {
			if !isName(x) {
				return nil
			}
			out = append(out, x.Text())
		}
		if b.Kind() == sexpr.List {
			return out
		}
	}
	return nil
}

func isName(v sexpr.Value) bool { return v.Kind() == sexpr.String || v.Kind() == sexpr.Keyword }

func narrowed(tools, to []string) []string {
	if to == nil {
		return tools
	}
	if tools == nil {
		return to
	}
	out := []string{}
	for _, t := range tools {
		if slices.Contains(to, t) {
			out = append(out, t)
		}
	}
	return out
}

func (l *lowerer) conditional(p sexpr.Pos, args []sexpr.Value) term {
	c, yes, no := l.form(args[0]), l.form(args[1]), l.form(args[2])
	cond := l.truth(&c)
	out := term{
		code: choose(p, cond, yes.code, no.code), pos: p, cost: 1 + c.cost + max(yes.cost, no.cost),
		open: yes.open || no.open, found: yes.found || no.found, bad: c.bad || yes.bad || no.bad,
	}
	if yes.typ.Kind == facts.Action || no.typ.Kind == facts.Action {
		return l.fail(p, "the action itself is not a value; write action.args or a part of it")
	}
	if yes.typ.Kind == no.typ.Kind {
		out.typ, out.sure = merged(yes.typ, no.typ), yes.sure && no.sure
	}
	return out
}

// merged is the type of what may be of either of two types of one kind.
func merged(a, b facts.Type) facts.Type {
	t := facts.Type{Kind: a.Kind}
	if a.Kind == facts.List {
		most := func(n int) int {
			if n == 0 {
				return value.MaxList
			}
			return n
		}
		t.Max = max(most(a.Max), most(b.Max))
	}
	return t
}

// let binds names in order; each value sees the names before it.
func (l *lowerer) let(v sexpr.Value) term {
	bindings := v.Items()[1]
	outer := len(l.vars)
	defer func() { l.vars = l.vars[:outer] }()
	var all []bound
	cost, bad := 1, false
	if bindings.Kind() != sexpr.List {
		return l.fail(bindings.Pos(), "let takes a list of names with their values: (let ((x 1)) ...)")
	}
	for _, b := range bindings.Items() {
		if b.Len() != 2 || b.Items()[0].Kind() != sexpr.Symbol {
			return l.fail(b.Pos(), "found %s, expected a name and its value, as in (let ((x 1)) ...)", clip(b))
		}
		n := b.Items()[0]
		if why := l.b.Unfit(n.Text()); why != "" {
			return l.fail(n.Pos(), "%s", why)
		}
		if slices.ContainsFunc(l.vars, func(x variable) bool { return x.name == n.Text() }) || l.b.Lists[n.Text()] != nil {
			return l.fail(n.Pos(), "the name %s is taken already", n.Text())
		}
		t := l.form(b.Items()[1])
		if t.typ.Kind == facts.Action {
			return l.fail(t.pos, "the action itself is not a value; write action.args or a part of it")
		}
		name := l.temp()
		all = append(all, bound{name, t.code, b.Pos()})
		bad = bad || t.bad
		cost += t.cost
		inner := t
		inner.code, inner.cost, inner.lit = varCode(n.Pos(), name), 1, nil
		if isEmptyList(t.lit) || t.lit != nil && t.typ.Kind == facts.Any {
			inner.typ, inner.sure = facts.Type{}, false // nil and null change kind with their use
		}
		l.vars = append(l.vars, variable{n.Text(), inner})
	}
	out := l.form(v.Items()[2])
	out.cost += cost
	for i := len(all) - 1; i >= 0; i-- {
		out.code = all[i].around(out.code)
	}
	out.bad, out.lit = out.bad || bad, nil
	return out
}

// bound is a name with the code of its value.
type bound struct {
	name  string
	value code
	pos   sexpr.Pos
}

// around is code that may use the name.
func (b bound) around(body code) code { return bind(b.pos, b.name, b.value, body) }
