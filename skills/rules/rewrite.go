package rules

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// setting is what a rewrite sets: a literal, a form that is computed on each action,
// or an object with both.
type setting struct {
	literal  sexpr.Value
	computed *condition.Computed
	keys     []sexpr.Value // of an object with forms in it
	members  []setting
}

// constant reports that there is nothing to compute.
func (s setting) constant() bool { return s.computed == nil && s.members == nil }

// value is what is set on a case; forms are computed in the order in which they stand.
func (s setting) value(c *skills.Case) (sexpr.Value, error) {
	switch {
	case s.computed != nil:
		return s.computed.Value(c)
	case s.members == nil:
		return s.literal, nil
	}
	items := make([]sexpr.Value, 0, 2*len(s.keys))
	for i, k := range s.keys {
		v, err := s.members[i].value(c)
		if err != nil {
			return v, err
		}
		items = append(items, k, v)
	}
	return sexpr.ListOf(items...), nil
}

// setReader reads :set of one clause.
type setReader struct {
	f     *fields
	tools []string // the only ones that the action may be on; nil: any
	cost  int
}

// set reads what a rewrite merges into the arguments of an action on one of tools, or
// of any action.
func (d *definitions) set(f *fields, tools []string) (setting, bool) {
	v, ok := f.get("set")
	if !ok || !v.IsPlist() {
		f.fault("set", "arguments such as (:timeout 30)")
		return setting{}, false
	}
	if _, err := sexpr.Sorted(v); err != nil {
		f.fail("set", "%s", err)
		return setting{}, false
	}
	r := setReader{f: f, tools: tools}
	before := d.b.faults.count()
	out := r.object(v, d.schemas(tools))
	if most := d.b.MaxCost(); r.cost > most {
		f.fail("set", "at worst the values of %s take %d steps together, expected at most %d", f.what, r.cost, most)
	}
	return out, d.b.faults.count() == before
}

// schemas are those of tools. There are none if any may have arguments that nothing
// declares, and in what was in force once: it is judged as it was.
func (d *definitions) schemas(tools []string) (out [][]skills.Param) {
	for _, name := range tools {
		t := d.b.Tools[name]
		if t == nil || d.b.Recorded {
			return nil
		}
		out = append(out, t.Params)
	}
	return out
}

// isComputed reports whether a value of :set is a form: a name, or a list that begins
// with one.
func isComputed(v sexpr.Value) bool {
	if v.Len() > 0 {
		v = v.Items()[0]
	}
	return v.Kind() == sexpr.Symbol && !v.IsSym("t") && !v.IsSym("false") && !v.IsSym("null") && !v.IsSym("{}")
}

// object reads the members that are set in an object, of which each of params may be the
// schema.
func (r *setReader) object(v sexpr.Value, params [][]skills.Param) setting {
	out := setting{literal: v, members: []setting{}}
	for i := 0; i+1 < v.Len(); i += 2 {
		k := v.Items()[i]
		var types []*skills.Type
		for _, ps := range params {
			if (kinds{r.f}).declared(k, ps) {
				types = append(types, &ps[slices.IndexFunc(ps, func(p skills.Param) bool { return p.Name == k.Text() })].Type)
			}
		}
		out.keys, out.members = append(out.keys, k), append(out.members, r.member(k, v.Items()[i+1], types))
	}
	if !slices.ContainsFunc(out.members, func(m setting) bool { return !m.constant() }) {
		out.members = nil
	}
	return out
}

func (r *setReader) fail(at sexpr.Pos, format string, args ...any) {
	r.f.b.faults.add(r.f.src, at, nil, format, args...)
}

// member reads one value, which is to be of each of types.
func (r *setReader) member(k, v sexpr.Value, types []*skills.Type) setting {
	switch {
	case isComputed(v):
		return r.form(k, v, types)
	case v.IsPlist():
		var params [][]skills.Param
		for _, t := range types {
			if t.Kind == skills.KindObject {
				params = append(params, t.Params)
			} else {
				r.fits(k, v, t)
			}
		}
		return r.object(v, params)
	}
	if i := slices.IndexFunc(v.Items(), isComputed); i >= 0 {
		x := v.Items()[i]
		r.fail(x.Pos(), "%s is a list of literals, found %s in it; map and filter compute a list", k, clipped(x))
		return setting{}
	}
	if err := sexpr.CheckJSON(v); err != nil {
		r.fail(v.Pos(), "%s", err)
		return setting{}
	}
	for _, t := range types {
		r.fits(k, v, t)
	}
	return setting{literal: v}
}

// fits sees that a literal is what a schema wants.
func (r *setReader) fits(k, v sexpr.Value, t *skills.Type) {
	one := &skills.Tool{Params: []skills.Param{{Name: k.Text(), Type: *t}}}
	if _, err := one.Check(sexpr.ListOf(k, v)); err != nil {
		r.fail(v.Pos(), "%s is %s, expected %s", k, clipped(v), t)
	}
}

// form compiles a value that is computed.
func (r *setReader) form(k, v sexpr.Value, types []*skills.Type) setting {
	c, ok := r.f.b.compileValue(r.f.src, k.String()+" of "+r.f.what, v, r.tools)
	if !ok {
		return setting{}
	}
	r.cost += c.Cost
	for _, t := range types {
		if !c.MayBe(t) {
			r.fail(v.Pos(), "%s is computed to be %s, expected %s", k, c.Described(), t)
			break
		}
	}
	return setting{computed: &c}
}
