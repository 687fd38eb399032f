package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// needs puts the preconditions, and which inputs must be there.
func (m *manifest) needs(o, activation object) {
	for _, v := range slices.Concat(o.items("data_present", "names of inputs"),
		activation.items("required_slots", "names of inputs")) {
		if !slices.ContainsFunc(m.required, func(r sexpr.Value) bool { return r.IsKey(v.Text()) }) {
			m.required = append(m.required, sexpr.Key(v.Text()).At(v.Pos()))
		}
	}
	if len(m.required) > 0 {
		m.put("required", sexpr.ListOf(m.required...).At(m.required[0].Pos()))
	}
	var out []sexpr.Value
	if v, ok := o.get("tools_available"); ok {
		out = append(out, sexpr.Key("tools"), v)
	}
	if all := o.items("invariants", "conditions"); len(all) > 0 {
		out = append(out, sexpr.Key("when"), sexpr.ListOf(m.conditions(all)...).At(o.at))
	}
	if len(out) > 0 {
		m.put("needs", sexpr.ListOf(out...).At(o.at))
	}
}

// offer puts when the capability is shown.
func (m *manifest) offer(o object, v sexpr.Value) {
	out := m.rename("activation", v)
	if w, ok := o.get("score_weights"); ok {
		out = append(out, sexpr.Key("weights"), sexpr.ListOf(m.rename("score_weights", w)...).At(w.Pos()))
	}
	if len(out) > 0 {
		m.put("offer", sexpr.ListOf(out...).At(o.at))
	}
}

// plan puts the steps, and what belongs to them.
func (m *manifest) plan(o, effects object) {
	m.once(o)
	m.renamed(o, "budget", "budget")
	if v, ok := o.get("result_map"); ok {
		m.put("result", v)
	}
	external, told := effects.get("external")
	steps := o.items("steps", "steps")
	undo := m.compensation(o)
	covers := "" // the step to which the compensation belongs
	var out []sexpr.Value
	for i, v := range steps {
		p := m.part("step", v)
		name, ok := p.get("name")
		if !ok {
			name = sexpr.Str("step-" + strconv.Itoa(i+1)).At(v.Pos())
		}
		step := append([]sexpr.Value{name}, m.rename("step", v)...)
		step = append(step, m.asked(p)...)
		say, ok := p.get("undo")
		switch {
		case ok:
		case undo != nil && covers == "":
			covers, say = name.Text(), *undo
		case covers != "":
			say = sexpr.Str("the undo of " + covers + " makes up for it").At(v.Pos())
		case told && external.IsNil():
			say = sexpr.Str(OnlyReads).At(v.Pos())
		default:
			out = append(out, sexpr.ListOf(step...).At(v.Pos()))
			continue
		}
		out = append(out, sexpr.ListOf(append(step, sexpr.Key("undo"), say)...).At(v.Pos()))
	}
	if undo != nil && covers == "" && len(steps) > 0 {
		m.add(undo.Pos(), "each step says itself what makes up for it; leave the compensation out")
	}
	if _, ok := o.get("steps"); ok {
		m.put("plan", sexpr.ListOf(out...).At(o.has["steps"].Pos()))
	}
}

// compensation reads what makes up for the plan: it belongs to the first step that does not say so
// itself.
func (m *manifest) compensation(o object) *sexpr.Value {
	all := o.items("compensation", "actions")
	if len(all) == 0 {
		return nil
	}
	for _, v := range all[1:] {
		m.add(v.Pos(), `compensation: a second action, and it names no step; give its step an "undo"`)
	}
	v := all[0]
	if when, ok := m.part("compensation", v).get("when"); ok && when.Text() != "partial_failure" {
		m.add(when.Pos(), `compensation: "when" is %s, expected "partial_failure"`, found(when))
	}
	undo := sexpr.ListOf(m.rename("compensation", v)...).At(v.Pos())
	return &undo
}

// asked are the conditions of a step.
func (m *manifest) asked(o object) (out []sexpr.Value) {
	if v, ok := o.get("when"); ok {
		out = append(out, sexpr.Key("when"), m.condition(v))
	}
	switch all := m.conditions(o.items("guards", "conditions")); len(all) {
	case 0:
	case 1:
		out = append(out, sexpr.Key("guard"), all[0])
	default:
		out = append(out, sexpr.Key("guard"), sexpr.ListOf(append([]sexpr.Value{sexpr.Sym("and")}, all...)...).At(o.at))
	}
	return out
}

// once puts the once-key: the parts of a template, each for itself.
func (m *manifest) once(o object) {
	v, ok := o.get("idempotence_key")
	if !ok {
		return
	}
	var parts []sexpr.Value
	text, at := o.text("idempotence_key", 1000), 0
	for _, s := range plans.Slots(text) {
		if s.Start > at {
			parts = append(parts, sexpr.Str(text[at:s.Start]).At(v.Pos()))
		}
		parts, at = append(parts, sexpr.Key(s.Name).At(v.Pos())), s.End
	}
	if at < len(text) {
		parts = append(parts, sexpr.Str(text[at:]).At(v.Pos()))
	}
	once := []sexpr.Value{sexpr.Key("key"), sexpr.ListOf(parts...).At(v.Pos())}
	if w, ok := o.get("idempotence_window_s"); ok {
		once = append(once, sexpr.Key("within"), w)
	}
	m.put("once", sexpr.ListOf(once...).At(v.Pos()))
}

// parsers puts the pinned parsers, by the input that each fills.
func (m *manifest) parsers(o object) {
	var out []sexpr.Value
	for _, v := range o.items("parsers", "parsers") {
		p := m.part("parser", v)
		if t, ok := p.get("temperature"); ok && p.number("temperature", 0, 0) != 0 {
			p.wrong("temperature", t, "0")
		}
		for _, in := range p.items("outputs", "names of inputs") {
			out = append(out, sexpr.Key(in.Text()).At(in.Pos()), sexpr.ListOf(m.rename("parser", v)...).At(v.Pos()))
		}
	}
	if len(out) > 0 {
		m.put("parsers", sexpr.ListOf(out...).At(o.at))
	}
}

// policy puts the roles, and the clauses that deny_if means.
func (m *manifest) policy(o object) {
	m.copy(o, "allow_roles", "roles")
	var gate []sexpr.Value
	for i, v := range o.items("deny_if", "conditions") {
		gate = append(gate, sexpr.ListOf(sexpr.Sym("deny"), sexpr.Sym(fmt.Sprintf("deny-if-%d", i+1)),
			sexpr.Key("when"), m.condition(v),
			sexpr.Key("reason"), sexpr.Str(m.id+" is denied where "+v.Text())).At(v.Pos()))
	}
	for _, v := range o.items("clauses", "texts of clauses") {
		clause, err := sexpr.Reader{Code: true}.Read("", v.Text())
		if err != nil {
			m.add(v.Pos(), "policy: %s is not the text of a clause: %s", found(v), err)
			continue
		}
		gate = append(gate, moved(clause, v.Pos()))
	}
	if len(gate) > 0 {
		m.put("gate", sexpr.ListOf(gate...).At(o.at))
	}
}

// tests puts unit cases, what is made up, and rates.
func (m *manifest) tests(o object) {
	var out []sexpr.Value
	for _, v := range o.items("unit_cases", "cases") {
		if v.Kind() == sexpr.String {
			out = append(out, v)
			continue
		}
		name, _ := m.part("case", v).get("name")
		out = append(out, sexpr.ListOf(append([]sexpr.Value{name}, m.rename("case", v)...)...).At(v.Pos()))
	}
	if len(out) > 0 {
		m.put("tests", sexpr.ListOf(out...).At(o.at))
	}
	m.copy(o, "fuzz", "fuzz")
	m.renamed(o, "expected", "rates")
}

func (m *manifest) conditions(all []sexpr.Value) (out []sexpr.Value) {
	for _, v := range all {
		out = append(out, m.condition(v))
	}
	return out
}

// condition reads a condition that is written as text. It may name inputs and the parts of the
// blackboard alone: app, args.app, ctx.subscription.
func (m *manifest) condition(v sexpr.Value) sexpr.Value {
	if v.Kind() != sexpr.String {
		m.add(v.Pos(), `found %s, expected a condition such as "ctx.subscription == env.subscription"`, found(v))
		return sexpr.T().At(v.Pos())
	}
	form, err := rules.Form(m.file, m.text, v)
	m.rules(err)
	if err != nil {
		return sexpr.T().At(v.Pos())
	}
	return m.spelt(form)
}

// spelt is a form with the names of the rule language.
func (m *manifest) spelt(v sexpr.Value) sexpr.Value {
	if v.Kind() == sexpr.Symbol {
		first, rest, _ := strings.Cut(v.Text(), ".")
		switch {
		case slices.Contains(m.inputs, first):
			return sexpr.Sym("action.args." + v.Text()).At(v.Pos())
		case first == "args" && rest != "":
			return sexpr.Sym("action.args." + rest).At(v.Pos())
		case slices.Contains([]string{"ctx", "env", "work", "policy"}, first):
			return sexpr.Sym("facts." + v.Text()).At(v.Pos())
		}
		return v
	}
	items := slices.Clone(v.Items())
	for i := 1; i < len(items); i++ {
		items[i] = m.spelt(items[i])
	}
	if v.Kind() != sexpr.List {
		return v
	}
	return sexpr.ListOf(items...).At(v.Pos())
}
