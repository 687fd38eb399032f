package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// reserved are the first words of keys that others give, so no skill has them.
func reserved() []string {
	return []string{"tier", "default", "invariant", "gate", "schema", "self-protection", "kill-switch", "proposal",
		"rulebook", "rewrite", "in-doubt", "budget", "tool", "stale"}
}

// skill reads a defskill.
func (d *definitions) skill(s *source, v sexpr.Value) (*skills.Skill, bool) {
	name, ok := d.name(s, v)
	if !ok {
		return nil, false
	}
	if contains(reserved(), name) {
		d.b.faults.add(s, v.Items()[1].Pos(), nil, "the name %s is built in and cannot be given to a skill", name)
	}
	f := d.b.fields(s, v, 2, "doc", "priority", "trigger", "gate", "mandatory", "prompt", "augment")
	out := &skills.Skill{
		Name: name, Doc: f.text("doc"), Priority: int(f.number("priority", -1<<31, 1<<31-1, 0)),
		Mandatory: f.flag("mandatory"), Prompt: f.text("prompt"), Augment: f.text("augment"),
	}
	if t, ok := f.get("trigger"); ok {
		if c, ok := d.b.compileTrigger(s, t); ok {
			out.Trigger, out.Tools = trigger(c)
		}
	}
	gate, _ := f.get("gate")
	if gate.Kind() != sexpr.List {
		f.fault("gate", "a list of clauses such as ((reject name :when ... :reason ...))")
	}
	taken := map[string]sexpr.Pos{}
	for _, c := range gate.Items() {
		if g := d.clause(s, out, c, taken); g != nil {
			out.Gates = append(out.Gates, g)
		}
	}
	return out, true
}

// trigger makes the function that asks whether a skill applies. A first test of
// the tool is asked without a program: most skills are about other tools.
func trigger(c condition.Condition) (func(*skills.Case) (bool, error), []string) {
	tools, rest := c.BearsOn()
	switch {
	case tools == nil && c.Unconditional():
		return nil, nil // as good as none
	case tools == nil:
		return c.Holds, nil
	}
	return func(x *skills.Case) (bool, error) {
		if x.Action == nil {
			return false, errNoAction
		}
		if !slices.Contains(tools, x.Action.Tool()) {
			return false, nil
		}
		if !rest {
			return true, nil
		}
		return c.Holds(x)
	}, tools
}

// clause reads one clause of a gate: (KIND NAME :when CONDITION :reason "..." ...).
func (d *definitions) clause(s *source, skill *skills.Skill, v sexpr.Value, taken map[string]sexpr.Pos) skills.Gate {
	kinds := []string{"reject", "ask", "allow", "rewrite"}
	if v.Len() < 2 || v.Items()[0].Kind() != sexpr.Symbol {
		d.b.faults.add(s, v.Pos(), nil, "found %s, expected a clause such as (reject name :when ... :reason ...)", clipped(v))
		return nil
	}
	kind, n := v.Items()[0].Text(), v.Items()[1]
	if !contains(kinds, kind) {
		d.b.faults.add(s, v.Pos(), nil, "unknown kind of clause %s%s", kind, spell.DidYouMean(kind, kinds))
		return nil
	}
	name := n.Text()
	if n.Kind() != sexpr.Symbol && n.Kind() != sexpr.String || !isIdentifier(name) || name == "trigger" {
		d.b.faults.add(s, n.Pos(), nil,
			"the %s clause has no fit name: letters, digits and - _ . alone, and not trigger", kind)
		return nil
	}
	if at, twice := taken[name]; twice {
		d.b.faults.add(s, n.Pos(), nil, "%s has two clauses %s, the first at %s", skill.Name, name, at)
		return nil
	}
	taken[name] = n.Pos()
	d.keys[skill.Name+"/"+name] = true
	keys := map[string][]string{
		"reject": {"when", "reason"}, "ask": {"when", "reason", "approvers", "quorum", "not-user"},
		"allow": {"when", "reason"}, "rewrite": {"when", "reason", "set"},
	}[kind]
	f := d.b.fields(s, v, 2, keys...)
	g := &gate{id: skill.Name + "/" + name, src: s, pos: v.Pos(), form: v, reason: f.text("reason")}
	if g.reason == "" {
		g.reason = "the rule " + g.id + " applies"
	}
	g.when = d.b.Always()
	if w, ok := f.get("when"); ok {
		if g.when, ok = d.b.compile(s, w, skill.Tools); !ok {
			return nil
		}
	}
	switch kind {
	case "reject":
		return newReject(g)
	case "allow":
		return newAllow(g)
	case "ask":
		slot := skills.Slot{Quorum: int(f.number("quorum", 1, 100, 1)), Class: d.class(f), NotUser: f.flag("not-user")}
		return newAsk(g, slot, d.clauseText(v, g.when))
	}
	return newRewrite(g, d.set(f, skill.Tools))
}

func (d *definitions) class(f *fields) string {
	v, ok := f.get("approvers")
	if ok && (v.Kind() != sexpr.Keyword || !isIdentifier(v.Text())) {
		f.fault("approvers", "a class of people such as :operator")
	}
	if v.Text() == "" {
		return skills.DefaultClass
	}
	return v.Text()
}

// clauseText is what an ask key is made of, besides who must approve: the clause
// and the lists that it names.
func (d *definitions) clauseText(v sexpr.Value, c condition.Condition) string {
	var b strings.Builder
	b.WriteString(v.String())
	for _, name := range slices.Sorted(maps.Keys(c.Lists)) {
		b.WriteString("\n" + d.b.Lists[name].Text)
	}
	return b.String()
}

// set reads what a rewrite merges into the arguments.
func (d *definitions) set(f *fields, tools []string) sexpr.Value {
	v, ok := f.get("set")
	if !ok || !v.IsPlist() {
		f.fault("set", "arguments such as (:timeout 30)")
		return v
	}
	if err := sexpr.CheckJSON(v); err != nil {
		f.fail("set", "%s", err)
		return v
	}
	if _, err := sexpr.Sorted(v); err != nil {
		f.fail("set", "%s", err)
		return v
	}
	for _, tool := range tools {
		t := d.b.Tools[tool]
		if t == nil {
			return v
		}
		for i := 0; i < v.Len(); i += 2 {
			k := kinds{f}
			if !k.declared(v.Items()[i], t.Params) {
				return v
			}
		}
	}
	return v
}

// invariant reads a definvariant.
func (d *definitions) invariant(s *source, v sexpr.Value) (*invariant, bool) {
	name, ok := d.name(s, v)
	if !ok {
		return nil, false
	}
	d.keys["invariant/"+name] = true
	f := d.b.fields(s, v, 2, "doc", "when", "holds", "reason")
	g := &gate{id: "invariant/" + name, src: s, pos: v.Pos(), form: v, reason: f.text("reason")}
	f.text("doc")
	if g.reason == "" {
		g.reason = "the invariant " + name + " does not hold"
	}
	out := &invariant{gate: g}
	g.when = d.b.Always()
	good := true
	if w, ok := f.get("when"); ok {
		if g.when, ok = d.b.compileTrigger(s, w); ok {
			out.on, out.more = g.when.BearsOn()
		}
		good = ok
	}
	h, ok := f.get("holds")
	if !ok {
		f.fault("holds", "a condition")
		return nil, false
	}
	out.holds, ok = d.b.compile(s, h, out.on)
	if !ok || !good {
		return nil, false
	}
	out.prepare()
	return out, true
}
