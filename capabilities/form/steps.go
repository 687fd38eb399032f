package form

import (
	"cmp"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

var (
	stepMembers = []member{
		{"tool", "text", true}, {"args", "keys and values", false}, {"ms", "milliseconds", false},
		{"retries", "whole number, 0 to 10", false}, {"idempotent", "`t` or `nil`", false},
		{"when", "condition", false}, {"guard", "condition", false}, {"out", "names with parts", false},
		{"undo", "action or sentence", true},
	}
	undoMembers = []member{{"tool", "text", true}, {"args", "keys and values", false}}
)

const (
	maxTool = 256 // bytes of the name of a tool, as proposals have it
	tryMS   = day // at most, of one try
)

// steps reads :plan.
func (f *faults) steps(o object) (out []Step) {
	items := o.items("plan", "steps such as (name :tool ... :args (...) :undo ...)")
	if v, ok := o.get("plan"); ok && (len(items) == 0 || len(items) > MaxSteps) {
		f.add(v.Pos(), "the plan has %d steps, expected 1 to %d", len(items), MaxSteps)
	}
	for _, v := range items[:min(len(items), MaxSteps)] {
		if s, ok := f.step(v); ok {
			if slices.ContainsFunc(out, func(x Step) bool { return x.Name == s.Name }) {
				f.add(s.at, "there are two steps %s; give this one another name", s.Name)
			}
			out = append(out, s)
		}
	}
	return out
}

// step reads (name :tool ... :args ... :undo ...).
func (f *faults) step(v sexpr.Value) (s Step, ok bool) {
	items := v.Items()
	if len(items) == 0 || items[0].Kind() != sexpr.Symbol && items[0].Kind() != sexpr.String ||
		!nameShape.MatchString(items[0].Text()) {
		f.add(v.Pos(), "found %s, expected a step such as (name :tool ... :args (...) :undo ...)", found(v))
		return s, false
	}
	s.Name, s.at = items[0].Text(), v.Pos()
	o := object{faults: f, what: "step " + s.Name, at: v.Pos(), has: map[string]sexpr.Value{}}
	members := slices.Clone(stepMembers)
	members[len(members)-1].must = false // there is more to say about it than that it is missing
	o.take(items[1:], members)
	s.Tool, s.Args = o.text("tool", maxTool), o.data("args")
	s.MS, s.Retries = o.whole("ms", 1, tryMS), int(o.whole("retries", 0, 10))
	s.Idempotent = o.flag("idempotent")
	s.When, s.Guard = o.condition("when"), o.condition("guard")
	s.Out = o.outs()
	s.Undo, s.Why = o.undo()
	return s, true
}

func (o object) condition(key string) *Condition {
	v, ok := o.get(key)
	if !ok {
		return nil
	}
	return &Condition{form: v}
}

// outs reads (:previous text :id result.id).
func (o object) outs() (out []Out) {
	names, values := o.pairs("out", "text, or a path such as result.id")
	for i, n := range names {
		v := values[i]
		if v.Kind() != sexpr.Symbol && v.Kind() != sexpr.String || !partShape.MatchString(v.Text()) {
			o.add(v.Pos(), "%s: :out has %s, expected text, or a path such as result.id", o.what, found(v))
			continue
		}
		out = append(out, Out{n.Text(), v.Text()})
	}
	slices.SortFunc(out, func(a, b Out) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// undo reads what makes up for a step, or why nothing needs to.
func (o object) undo() (*Undo, string) {
	v, ok := o.get("undo")
	switch {
	case !ok:
		o.add(o.at, "%s does not say what makes up for it; "+
			`write :undo (:tool ... :args (...)), or a sentence that says why nothing needs to, such as :undo %q`,
			o.what, OnlyReads)
		return nil, ""
	case v.Kind() == sexpr.String:
		return nil, o.text("undo", 500)
	}
	p := o.object(v, "the :undo of "+o.what, undoMembers)
	return &Undo{Tool: p.text("tool", maxTool), Args: p.data("args")}, ""
}
