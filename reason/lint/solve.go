package lint

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// model is a way in which facts can hold together: what is known of each value, by the
// text of the form that reads it.
type model struct {
	tool   *skills.Tool // nil if it is not declared or not known
	values map[string]*domain
	facts  conjunction
	lists  map[string]*elements
}

// solver looks whether facts can hold together.
type solver struct {
	names
	book  *rules.Rulebook
	tool  *skills.Tool
	depth int  // of quantifiers
	left  *int // facts that may still be looked at
}

// state is what one conjunction says.
type state struct {
	values map[string]*domain
	plain  map[string]bool // of facts that are taken as they stand: whether they hold
	lists  map[string]*elements
	order  []string
	broken bool
}

// elements are the conditions that some element of a list meets, and that none meets;
// and, by what solves them, elements that may be there.
type elements struct {
	some, none []sexpr.Value
	found      []model
}

// solve reports whether all facts may hold together, and how. False is certain.
func (s solver) solve(facts conjunction) (model, bool) {
	st := &state{values: map[string]*domain{}, plain: map[string]bool{}, lists: map[string]*elements{}}
	for _, f := range facts {
		s.add(st, f)
	}
	if st.broken {
		return model{}, false
	}
	for _, d := range st.values {
		if !d.possible() {
			return model{}, false
		}
	}
	for _, name := range st.order {
		if !s.elements(st.lists[name]) {
			return model{}, false
		}
	}
	return model{s.tool, st.values, facts, st.lists}, true
}

// maxDepth is how deep quantifiers are looked into.
const maxDepth = 2

// elements reports whether a list can have the elements it must have.
func (s solver) elements(e *elements) bool {
	if s.depth >= maxDepth {
		return true
	}
	inner := s
	inner.depth++
	for _, body := range e.some {
		all := []sexpr.Value{body}
		for _, x := range e.none {
			all = append(all, call("not", x))
		}
		cases, ok := s.cases(call("and", all...), false)
		if !ok {
			continue
		}
		found := false
		for _, c := range cases {
			if *s.left -= 1 + len(c); *s.left < 0 {
				return true // as far as is known
			}
			if m, can := inner.solve(c); can {
				e.found, found = append(e.found, m), true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func (s solver) value(st *state, form sexpr.Value) *domain {
	name := form.String()
	d := st.values[name]
	if d != nil {
		return d
	}
	d = newDomain()
	st.values[name] = d
	if t, ok := s.typeOf(form); ok {
		d.declare(t)
	}
	if items := form.Items(); len(items) == 2 && (items[0].IsSym("len") || items[0].IsSym("count")) {
		d.atLeast(0, false)
		d.whole = true
	}
	return d
}

// typeOf is the declared type of an argument.
func (s solver) typeOf(form sexpr.Value) (skills.Type, bool) {
	name, ok := strings.CutPrefix(form.Text(), "action.args.")
	if !ok || form.Kind() != sexpr.Symbol || s.tool == nil {
		return skills.Type{}, false
	}
	for _, p := range s.tool.Params {
		if p.Name == name {
			return p.Type, true
		}
	}
	return skills.Type{}, false
}

// required reports whether each call has an argument.
func (s solver) required(form sexpr.Value) bool {
	name := strings.TrimPrefix(form.Text(), "action.args.")
	for _, r := range s.tool.Required {
		if r == name {
			return true
		}
	}
	return false
}

// add takes one fact in.
func (s solver) add(st *state, f fact) {
	items := f.form.Items()
	op := items[0].Text()
	switch len(items) {
	case 2:
		if t, ok := s.typeOf(items[1]); ok && !t.Nullable && (op == "has?" || op == "missing?") {
			d := s.value(st, items[1])
			there := (op == "has?") != f.not
			d.there, d.absent = d.there || there, d.absent || !there
			st.broken = st.broken || !there && s.required(items[1])
			return
		}
	case 3:
		if op == "some" {
			s.element(st, items, f.not)
			return
		}
		if s.compare(st, op, items[1], items[2], f.not) {
			return
		}
	}
	name := f.form.String()
	if was, ok := st.plain[name]; ok && was == f.not {
		st.broken = true
	}
	st.plain[name] = !f.not
}

func (s solver) element(st *state, items []sexpr.Value, not bool) {
	name := items[1].String()
	e := st.lists[name]
	if e == nil {
		e = &elements{}
		st.lists[name] = e
		st.order = append(st.order, name)
	}
	if not {
		e.none = append(e.none, items[2])
	} else {
		e.some = append(e.some, items[2])
	}
}

func opposite(op string) string {
	return map[string]string{"=": "/=", "/=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op]
}

func turned(op string) string {
	return map[string]string{"=": "=", "/=": "/=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
}

// compare takes in a comparison with a constant; false if it is none.
func (s solver) compare(st *state, op string, a, b sexpr.Value, not bool) bool {
	if t, ok := s.textTestOf(op, b); ok {
		if a.Kind() == sexpr.String {
			return false
		}
		d := s.value(st, a)
		d.compared = true
		if not {
			d.no = append(d.no, t)
		} else {
			d.yes = append(d.yes, t)
		}
		return true
	}
	if op == "in" {
		list, ok := s.literals(b)
		if _, constant := literal(a); !ok || constant {
			return false
		}
		words := make([]sexpr.Value, len(list))
		for i, x := range list {
			words[i], _ = literal(x)
		}
		d := s.value(st, a)
		d.compared = true
		if not {
			d.except = append(d.except, words...)
		} else {
			d.among(words)
		}
		return true
	}
	if opposite(op) == "" {
		return false
	}
	if _, constant := literal(a); constant {
		a, b, op = b, a, turned(op)
	}
	x, ok := literal(b)
	if _, two := literal(a); !ok || two {
		return false
	}
	if not {
		op = opposite(op)
	}
	return s.ordered(s.value(st, a), op, x)
}

func (s solver) ordered(d *domain, op string, x sexpr.Value) bool {
	n, isNumber := numberOf(x)
	switch {
	case op == "=":
		d.among([]sexpr.Value{x})
	case op == "/=":
		d.except = append(d.except, x)
	case !isNumber:
		return false
	case op == "<" || op == "<=":
		d.atMost(n, op == "<")
	default:
		d.atLeast(n, op == ">")
	}
	d.compared = true
	return true
}
