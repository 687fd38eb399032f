package lint

import (
	"context"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// clause is a clause or an invariant, with all that decides whether it applies.
type clause struct {
	rules.Rule
	skill   *skills.Skill // nil for an invariant
	gate    skills.Gate
	trigger sexpr.Value // of its skill; t if there is none
	when    sexpr.Value // t if there is none
	plain   bool        // it has no condition of its own
	alive   bool        // some action may meet the condition, as far as is known
}

// whole is the condition under which a clause applies.
func (c *clause) whole() sexpr.Value { return call("and", c.trigger, c.when) }

// field is the value of one of its keys.
func (c *clause) field(key string) sexpr.Value { return fieldOf(c.Form, key) }

func fieldOf(form sexpr.Value, key string) sexpr.Value {
	items := form.Items()
	for i := 2; i+1 < len(items); i += 2 {
		if items[i].IsKey(key) {
			return items[i+1]
		}
	}
	return sexpr.Value{}
}

// linter is one look at a rulebook.
type linter struct {
	ctx  context.Context //nolint:containedctx // it is that of the one call that the linter lives for
	book *rules.Rulebook
	names
	clauses []clause
	found   []Finding
	left    *int // work that may still be done
}

// read takes the clauses and invariants of the book in the order in which they are asked,
// but those that the author did not write and that only add to these.
func (l *linter) read() []clause {
	gates, of := map[string]skills.Gate{}, map[string]*skills.Skill{}
	for _, s := range l.book.Skills("") {
		for _, g := range s.Gates {
			gates[g.Key()], of[g.Key()] = g, s
		}
	}
	for _, g := range l.book.Invariants("") {
		gates[g.Key()] = g
	}
	triggers := map[string]sexpr.Value{}
	for _, f := range l.book.Files() {
		if f.Words {
			continue
		}
		for _, v := range forms(f) {
			if items := v.Items(); len(items) > 1 && items[0].IsSym("defskill") {
				triggers[items[1].Text()] = l.condition(fieldOf(v, "trigger"))
			}
		}
	}
	var out []clause
	for _, r := range l.book.Rules() {
		if r.OnTop {
			continue
		}
		c := clause{Rule: r, skill: of[r.ID], gate: gates[r.ID], trigger: sexpr.T(), alive: true}
		if c.skill != nil {
			c.trigger = triggers[c.skill.Name]
		}
		own := c.field("when")
		c.when, c.plain = l.condition(own), own.IsNil() || own.IsSym("t")
		if r.Kind == "definvariant" { // which denies what does not hold
			c.trigger, c.when, c.plain = c.when, call("not", l.condition(c.field("holds"))), false
		}
		out = append(out, c)
	}
	return out
}

// condition is one with its definitions put in; t for none.
func (l *linter) condition(v sexpr.Value) sexpr.Value {
	if v.IsNil() && v.Pos().Line == 0 {
		return sexpr.T()
	}
	return l.expand(v)
}

// way is one way to meet a condition: on which tool, "" for any, and how.
type way struct {
	tool string
	model
}

// ways are the ways to meet a condition, as far as is known. None is certain if ok.
func (l *linter) ways(v sexpr.Value) (out []way, ok bool) {
	if !l.work(1) {
		return nil, false
	}
	cases, ok := l.cases(v, false)
	if !ok {
		return nil, false
	}
	for _, facts := range cases {
		if !l.work(1 + len(facts)) {
			return nil, false
		}
		s := solver{names: l.names, book: l.book, left: l.left}
		m, can := s.solve(facts)
		if !can {
			continue
		}
		d := m.values["action.tool"]
		if d == nil || !d.any {
			out = append(out, way{model: m})
			continue
		}
		for _, name := range d.of {
			if !d.admits(name) {
				continue
			}
			s.tool, _ = l.book.Tool(name.Text())
			if m, can := s.solve(append(facts[:len(facts):len(facts)],
				fact{form: call("=", sexpr.Sym("action.tool"), name)})); can {
				out = append(out, way{name.Text(), m})
			}
		}
	}
	return out, true
}

// impossible reports that no action meets a condition.
func (l *linter) impossible(v sexpr.Value) bool {
	w, ok := l.ways(v)
	return ok && len(w) == 0
}

// covers reports that b applies wherever a does.
func (l *linter) covers(b, a *clause) bool {
	return l.impossible(call("and", a.trigger, a.when, call("not", call("and", b.trigger, b.when))))
}

// apart reports that two clauses are about different tools.
func apart(a, b *clause) bool {
	if a.skill == nil || b.skill == nil || a.skill.Tools == nil || b.skill.Tools == nil {
		return false
	}
	return !slices.ContainsFunc(a.skill.Tools, func(t string) bool { return slices.Contains(b.skill.Tools, t) })
}

// report takes down a finding about a clause.
func (l *linter) report(c *clause, at sexpr.Pos, id, text, right string, w *run) {
	if at.Line == 0 {
		at = c.Pos
	}
	f := Finding{ID: id, Rule: c.ID, File: c.File, Line: at.Line, Col: at.Col, Text: text, Right: right}
	if w != nil {
		f.Witness, f.Answer = w.text(), w.answer()
	}
	if len(l.found) < maxFindings {
		l.found = append(l.found, f)
	}
}

// maxFindings bounds what is said of a book.
const maxFindings = 1000

// arguments are the arguments that a form reads, by name.
func arguments(v sexpr.Value) (out []sexpr.Value) {
	if v.Kind() == sexpr.Symbol {
		if name, ok := strings.CutPrefix(v.Text(), "action.args."); ok && !strings.Contains(name, ".") {
			return []sexpr.Value{v}
		}
		return nil
	}
	for _, x := range v.Items() {
		out = append(out, arguments(x)...)
	}
	return out
}
