package condition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Definition is what a defcondition defines: a condition under a name, with names
// for what it is asked about.
type Definition struct {
	Name   string
	Doc    string
	Params []sexpr.Value // symbols
	Body   sexpr.Value   // a form, or a string in expr's syntax until [Language.CheckDefinitions]
	Text   string        // of the definition, for ask keys
	Pos    sexpr.Pos
	Source Source

	uses []use // of other definitions, in the order in which they stand
	bad  bool  // an error was reported, so that its uses say nothing more
}

// Bounds of what definitions become: how many may stand inside each other, and how many
// forms a condition may have with all of them written out.
const (
	maxWithin  = 16
	maxWritten = 10_000
)

// Arguments are the names of the arguments, with spaces between them.
func (d *Definition) Arguments() string {
	names := make([]string, len(d.Params))
	for i, p := range d.Params {
		names[i] = p.Text()
	}
	return strings.Join(names, " ")
}

// use is a place where a definition is used.
type use struct {
	of  *Definition
	src Source
	at  sexpr.Pos
}

// CheckDefinitions checks every definition by itself, after all of them, the tools and
// the lists are known, and before anything uses one. What depends on the arguments is
// checked where it is used.
func (b *Language) CheckDefinitions() {
	for _, name := range keysOf(b.Definitions) {
		d := b.Definitions[name]
		l := &lowerer{b: b, src: d.Source}
		if d.Body.Kind() == sexpr.String {
			form, ok := l.textForm(d.Body)
			d.Body, d.bad = form, !ok
		}
		d.uses = l.usesIn(d.Body)
	}
	b.findCycles()
	for _, name := range keysOf(b.Definitions) {
		b.check(b.Definitions[name])
	}
}

// usesIn finds the definitions that a form names.
func (l *lowerer) usesIn(v sexpr.Value) []use {
	var out []use
	items := v.Items()
	if len(items) > 0 && items[0].Kind() == sexpr.Symbol {
		if items[0].IsSym("quote") {
			return nil
		}
		if d := l.b.Definitions[items[0].Text()]; d != nil {
			out = append(out, use{d, l.src, v.Pos()})
		}
	}
	for _, x := range items {
		out = append(out, l.usesIn(x)...)
	}
	return out
}

// findCycles reports every definition that uses itself, however far around.
func (b *Language) findCycles() {
	done := map[*Definition]bool{}
	var chain []*Definition
	var follow func(d *Definition)
	follow = func(d *Definition) {
		if done[d] {
			return
		}
		chain = append(chain, d)
		for _, u := range d.uses {
			i := slices.Index(chain, u.of)
			if i < 0 {
				follow(u.of)
				continue
			}
			around := ""
			for _, c := range chain[i:] {
				c.bad = true
				around += c.Name + " uses "
			}
			u.src.Fail(u.at, nil, "a cycle: %s%s; a condition cannot be made of itself", around, u.of.Name)
		}
		chain, done[d] = chain[:len(chain)-1], true
	}
	for _, name := range keysOf(b.Definitions) {
		follow(b.Definitions[name])
	}
}

// check lowers a definition with arguments of which nothing is known.
func (b *Language) check(d *Definition) {
	for i, p := range d.Params {
		why := b.Unfit(p.Text())
		if why == "" && (b.Lists[p.Text()] != nil || b.Definitions[p.Text()] != nil) ||
			slices.ContainsFunc(d.Params[:i], func(q sexpr.Value) bool { return q.Text() == p.Text() }) {
			why = "the name " + p.Text() + " is taken already"
		}
		if why != "" {
			d.Source.Fail(p.Pos(), nil, "%s", why)
			d.bad = true
		}
	}
	if d.bad {
		return
	}
	l := &lowerer{b: b, src: d.Source, alone: true}
	for _, p := range d.Params {
		t := term{code: varCode(p.Pos(), l.temp()), pos: p.Pos(), cost: 1, open: true, any: true}
		l.vars = append(l.vars, variable{p.Text(), t})
	}
	t := l.form(d.Body)
	l.truth(&t)
	d.bad = d.bad || l.faulty || t.bad
}

// defined lowers a use of a definition: its arguments get names, each evaluated once
// and in order, and the body is lowered as if it stood here, but that it sees these
// names alone.
func (l *lowerer) defined(v sexpr.Value, d *Definition) term {
	args := v.Items()[1:]
	if len(args) != len(d.Params) {
		return l.fail(v.Pos(), "%s takes %s, found %d: (%s)", d.Name, arity(len(d.Params), len(d.Params)), len(args),
			strings.TrimSpace(d.Name+" "+d.Arguments()))
	}
	l.definitions = noted(l.definitions, d.Name)
	var vars []variable
	var values []bound
	cost, bad := 1, d.bad
	for i, a := range args {
		t := l.form(a)
		if t.typ.Kind == facts.Action {
			t = l.fail(t.pos, "the action itself is not a value; write action.args or a part of it")
		}
		cost += t.cost
		bad = bad || t.bad
		if t.lit == nil { // a literal stays one: the body may need it as a pattern
			values = append(values, bound{l.temp(), t.code, a.Pos()})
			t.code, t.cost = varCode(a.Pos(), values[len(values)-1].name), 1
		}
		vars = append(vars, variable{d.Params[i].Text(), t})
	}
	switch {
	case bad, l.alone: // what another definition makes of these arguments is seen where this one is used
		return term{code: constant(v.Pos(), false), typ: boolean, pos: v.Pos(), cost: cost, sure: true, bad: bad}
	case len(l.within) == maxWithin:
		return l.fail(v.Pos(), "%d conditions inside each other, expected at most %d", maxWithin+1, maxWithin)
	}
	body := l.inside(use{d, l.src, v.Pos()}, vars)
	out := term{typ: boolean, pos: v.Pos(), cost: cost + body.cost, sure: true, bad: body.bad, code: body.code}
	for i := len(values) - 1; i >= 0; i-- {
		out.code = values[i].around(out.code)
	}
	return out
}

// inside lowers the body of a definition where it is used.
func (l *lowerer) inside(u use, vars []variable) term {
	outer := *l
	l.within = append(l.within, u)
	l.src, l.vars, l.its = u.of.Source, vars, nil
	t := l.form(u.of.Body)
	t.code = l.truth(&t)
	if !t.bad {
		l.mark(t.code)
	}
	l.src, l.vars, l.its, l.within = outer.src, outer.vars, outer.its, outer.within
	return t
}

// tooLong counts the forms of definitions, each as often as it is used: a few short
// definitions may come to any number.
func (l *lowerer) tooLong(p sexpr.Pos) bool {
	if len(l.within) == 0 {
		return false
	}
	if l.written++; l.written == maxWritten+1 {
		l.fail(p, "with all definitions written out, the condition has more than %d forms", maxWritten)
	}
	return l.written > maxWritten
}

// usedAt says where the definitions are used that the form being lowered is in.
func (l *lowerer) usedAt() string {
	out := ""
	for i, u := range slices.Backward(l.within) {
		if n := len(l.within); n > 4 && i > 0 && i < n-2 { // far inside: the first and the last tell enough
			continue
		}
		out += fmt.Sprintf(", used at %s:%s", u.src.Name(), u.at)
	}
	return out
}

// opened follows a use of a definition without names, as long as there is nothing else,
// to what it says.
func (b *Language) opened(v sexpr.Value) sexpr.Value {
	for range maxWithin {
		if v.Len() != 1 || v.Items()[0].Kind() != sexpr.Symbol {
			break
		}
		d := b.Definitions[v.Items()[0].Text()]
		if d == nil || d.bad {
			break
		}
		v = d.Body
	}
	return v
}
