package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
	"github.com/opencortex-go/cortex/skills/rules/internal/mend"
	"github.com/opencortex-go/cortex/skills/rules/internal/teach"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// skill reads a defskill.
func (d *definitions) skill(s *source, v sexpr.Value) (*skills.Skill, bool) {
	name, ok := d.name(s, v)
	if !ok {
		return nil, false
	}
	if contains(vocabulary.Reserved(), name) {
		d.b.faults.add(s, v.Items()[1].Pos(), nil, "the name %s is built in and cannot be given to a skill", name)
	}
	f := d.b.fields(s, v, 2, "defskill")
	out := &skills.Skill{
		Name: name, Doc: f.text("doc"), Priority: int(f.number("priority", -1<<31, 1<<31-1, 0)),
		Mandatory: f.flag("mandatory"), Prompt: f.text("prompt"), Augment: f.text("augment"),
	}
	on := sexpr.T()
	if t, ok := f.get("trigger"); ok {
		if c, ok := d.b.compileTrigger(s, "the trigger of "+name, t); ok {
			out.Trigger, out.Tools = trigger(c)
			on = c.Form
			d.uncovered(s, "the trigger of "+name, t, on)
		}
	}
	gate, _ := f.get("gate")
	if gate.Kind() != sexpr.List {
		f.fault("gate", "a list of clauses such as ((deny name :when ... :reason ...))")
	}
	if items := gate.Items(); len(items) > 0 && contains(kindsOfClause(), items[0].Text()) {
		d.b.faults.add(s, gate.Pos(), nil, "found one clause, expected a list of them: ((%s ...))", what(items))
		return out, false
	}
	taken := map[string]sexpr.Pos{}
	for _, c := range gate.Items() {
		if g := d.clause(s, out, on, c, taken); g != nil {
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
		if x.Action() == nil {
			return false, errNoAction
		}
		if !slices.Contains(tools, x.Action().Tool()) {
			return false, nil
		}
		if !rest {
			return true, nil
		}
		return c.Holds(x)
	}, tools
}

// clause reads one clause of a gate: (KIND NAME :when CONDITION :reason "..." ...). on is
// the condition of its skill's trigger.
func (d *definitions) clause(s *source, skill *skills.Skill, on, v sexpr.Value,
	taken map[string]sexpr.Pos) skills.Gate {
	if v.Len() < 2 || v.Items()[0].Kind() != sexpr.Symbol {
		d.b.faults.add(s, v.Pos(), nil, "found %s, expected a clause such as (deny name :when ... :reason ...)", clipped(v))
		return nil
	}
	kind, n := kindOfClause(v), v.Items()[1]
	if !contains(kindsOfClause(), kind) {
		d.b.faults.add(s, v.Pos(), nil, "unknown kind of clause %s%s", kind,
			didYouMean(teach.Clause(kind), kind, kindsOfClause()))
		return nil
	}
	if v.Items()[0].IsSym(oldDeny) {
		d.b.faults.warn(s, v.Items()[0].Pos(),
			"reject is an old word for deny: write (deny %s ...); the next version does not read it", clipped(n))
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
	f := d.b.fields(s, v, 2, kind)
	g := &gate{id: skill.Name + "/" + name, src: s, pos: v.Pos(), form: v, reason: f.text("reason")}
	if g.reason == "" {
		g.reason = "the rule " + g.id + " applies"
	}
	if f.torn {
		return nil
	}
	g.when = d.b.Always()
	if w, ok := f.get("when"); ok {
		if g.when, ok = d.b.compile(s, kind+" "+g.id, w, skill.Tools); !ok {
			return nil
		}
	}
	if kind != "ask" {
		set, _ := f.get("set")
		d.uncovered(s, kind+" "+g.id, v, g.when.Form, set)
	}
	switch kind {
	case "deny":
		return newDeny(g, d.hint(f, on, g.when.Form))
	case "allow":
		return newAllow(g)
	case "ask":
		slot := skills.Slot{Quorum: int(f.number("quorum", 1, 100, 1)), Class: d.class(f), NotUser: f.flag("not-user")}
		_, asks := mend.Read(d.mendNames(), g.when.Form)
		return newAsk(g, slot, d.clauseText(v, g.when), asks != "")
	}
	set, ok := d.set(f, g.when.Within(skill.Tools))
	if !ok {
		return nil
	}
	sets, _ := f.get("set")
	_, asks := mend.Read(d.mendNames(), on, g.when.Form, sets)
	return newRewrite(g, set, asks != "")
}

func kindsOfClause() []string { return []string{"deny", "ask", "allow", "rewrite"} }

// oldDeny is how deny was spelled in the first rulebooks, which are on record.
const oldDeny = "reject"

// kindOfClause is the first word of a clause, as it is spelled today.
func kindOfClause(v sexpr.Value) string {
	if v.Items()[0].IsSym(oldDeny) {
		return "deny"
	}
	return v.Items()[0].Text()
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

// clauseText is what an ask key is made of, besides who must approve: the clause,
// and the lists and conditions that it names.
func (d *definitions) clauseText(v sexpr.Value, c condition.Condition) string {
	var b strings.Builder
	b.WriteString(v.String())
	for _, name := range slices.Sorted(maps.Keys(c.Lists)) {
		b.WriteString("\n" + d.b.Lists[name].Text)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Definitions)) {
		b.WriteString("\n" + d.b.Definitions[name].Text)
	}
	return b.String()
}

// invariant reads a definvariant.
func (d *definitions) invariant(s *source, v sexpr.Value) (*invariant, bool) {
	name, ok := d.name(s, v)
	if !ok {
		return nil, false
	}
	d.keys["invariant/"+name] = true
	f := d.b.fields(s, v, 2, "definvariant")
	g := &gate{id: "invariant/" + name, src: s, pos: v.Pos(), form: v, reason: f.text("reason")}
	f.text("doc")
	if g.reason == "" {
		g.reason = "the invariant " + name + " does not hold"
	}
	out := &invariant{gate: g}
	g.when = d.b.Always()
	good := true
	if w, ok := f.get("when"); ok {
		if g.when, ok = d.b.compileTrigger(s, "the :when of definvariant "+name, w); ok {
			out.on, out.more = g.when.BearsOn()
		}
		good = ok
	}
	h, ok := f.get("holds")
	if !ok {
		f.fault("holds", "a condition")
		return nil, false
	}
	out.holds, ok = d.b.compile(s, "definvariant "+name, h, out.on)
	if !ok || !good {
		return nil, false
	}
	d.uncovered(s, "definvariant "+name, v, g.when.Form, out.holds.Form)
	out.prepare(d.hint(f, g.when.Form, out.holds.Form))
	return out, true
}
