package source

import (
	"regexp"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

// operators are what a condition object asks of a variable, by their names, and the form each
// becomes.
var operators = map[string]string{
	"equals": "=", "not_equals": "/=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "contains": "contains",
	"in": "in", "startsWith": "starts-with?", "endsWith": "ends-with?", "matches": "matches?",
}

// conditionNames are all members of a condition object.
var conditionNames = []string{"var", "equals", "not_equals", "gt", "gte", "lt", "lte", "contains", "in", "startsWith",
	"endsWith", "matches", "and", "or", "not"}

// cond turns a condition object into a form over the work of a run.
func (d *decoder) cond(v sexpr.Value, x *Cond, what string) {
	form, ok := d.condition(v, what)
	if ok {
		x.Form = &form
	}
}

// condition is the form of one object. All of its members must hold.
func (d *decoder) condition(v sexpr.Value, what string) (sexpr.Value, bool) {
	var key sexpr.Value
	var parts []sexpr.Value
	asked := false
	ok := d.each(v, what, func(k, value sexpr.Value) {
		if d.is(k.Text(), "var") {
			key = value
		}
	})
	if key.Kind() == sexpr.String && !patterns["path"].MatchString(key.Text()) {
		d.Add(key.Pos(), nil, "%s: %q cannot be a key of work", what, clip(key.Text()))
		return sexpr.Value{}, false
	}
	variable := form(v.Pos(), "work", sexpr.Str(key.Text()).At(key.Pos()))
	ok = ok && d.each(v, what, func(k, value sexpr.Value) {
		name := d.known(k)
		switch {
		case name == "var":
		case name == "":
			d.Add(k.Pos(), nil, "%s: unknown operator %s%s", what, d.shown(k), spell.DidYouMean(k.Text(), conditionNames))
			ok = false
		case name == "and" || name == "or" || name == "not":
			f, fine := d.joined(name, value, what)
			parts, ok = append(parts, f), ok && fine
		case key.Kind() != sexpr.String || key.Text() == "":
			d.Add(k.Pos(), nil, "%s: %s without %s", what, d.spelt(name), d.spelt("var"))
			ok = false
		default:
			asked = true
			f, fine := d.asks(name, variable, value, what)
			parts, ok = append(parts, f), ok && fine
		}
	})
	if key.Kind() == sexpr.String && !asked {
		parts = append(parts, truthy(variable))
	}
	if ok && len(parts) == 0 {
		d.Add(v.Pos(), nil, "%s: the condition asks nothing", what)
	}
	if !ok || len(parts) == 0 {
		return sexpr.Value{}, false
	}
	if len(parts) == 1 {
		return parts[0], true
	}
	// Members have no order in JSON: the form must not depend on it.
	sortForms(parts)
	return form(v.Pos(), "and", parts...), true
}

func (d *decoder) known(k sexpr.Value) string {
	for _, n := range conditionNames {
		if d.is(k.Text(), n) {
			return n
		}
	}
	return ""
}

// joined is and, or or not over other conditions.
func (d *decoder) joined(name string, v sexpr.Value, what string) (sexpr.Value, bool) {
	all := v.Items()
	if name == "not" {
		all = []sexpr.Value{v}
	} else if v.IsPlist() || v.Len() == 0 {
		d.Add(v.Pos(), nil, "%s: found %s, expected a list of conditions", what, found(v))
		return sexpr.Value{}, false
	}
	forms, ok := make([]sexpr.Value, len(all)), true
	for i, c := range all {
		f, fine := d.condition(c, what)
		forms[i], ok = f, ok && fine
	}
	return form(v.Pos(), name, forms...), ok
}

// asks is one operator on a variable. A missing variable is null, which equals null alone; any
// other question about it is answered with no.
func (d *decoder) asks(name string, variable, value sexpr.Value, what string) (sexpr.Value, bool) {
	at := value.Pos()
	text := func() bool {
		if value.Kind() != sexpr.String {
			d.Add(at, nil, "%s: found %s, expected a text", what, found(value))
		}
		return value.Kind() == sexpr.String
	}
	switch name {
	case "equals", "not_equals":
		if value.Kind() == sexpr.List || value.Kind() == sexpr.Keyword || value.Kind() == sexpr.Symbol &&
			!value.IsSym("t") && !value.IsSym("false") && !value.IsSym("null") {
			d.Add(at, nil, "%s: found %s, expected a text, a number, true, false or null", what, found(value))
			return sexpr.Value{}, false
		}
		return form(at, operators[name], variable, value), true
	case "gt", "gte", "lt", "lte":
		if value.Kind() != sexpr.Int && value.Kind() != sexpr.Float {
			d.Add(at, nil, "%s: found %s, expected a number", what, found(value))
			return sexpr.Value{}, false
		}
		return form(at, operators[name], variable, value), true
	case "in":
		if value.Kind() != sexpr.List || value.IsPlist() || value.Len() == 0 {
			d.Add(at, nil, "%s: found %s, expected a list of values", what, found(value))
			return sexpr.Value{}, false
		}
		forms := make([]sexpr.Value, value.Len())
		for i, x := range value.Items() {
			f, ok := d.asks("equals", variable, x, what)
			if !ok {
				return sexpr.Value{}, false
			}
			forms[i] = f
		}
		return form(at, "or", forms...), true
	case "contains":
		return form(at, "work-contains?", sexpr.Str(variable.Items()[1].Text()), value),
			text()
	case "matches":
		if !text() {
			return sexpr.Value{}, false
		}
		if _, err := regexp.Compile(value.Text()); err != nil {
			d.Add(at, err, "%s: the pattern does not compile: %s", what, err)
			return sexpr.Value{}, false
		}
	}
	return form(at, operators[name], variable, value), text()
}

// truthy asks whether a variable is set and neither false, 0 nor "".
func truthy(variable sexpr.Value) sexpr.Value {
	return form(variable.Pos(), "work-truthy?", variable.Items()[1])
}

func form(at sexpr.Pos, head string, args ...sexpr.Value) sexpr.Value {
	return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym(head).At(at)}, args...)...).At(at)
}

func sortForms(forms []sexpr.Value) {
	for i := range forms {
		for j := i; j > 0 && forms[j].String() < forms[j-1].String(); j-- {
			forms[j], forms[j-1] = forms[j-1], forms[j]
		}
	}
}
