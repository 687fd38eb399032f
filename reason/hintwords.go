package reason

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/reason/nearby"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ownWords says what a hint may put at a place of the arguments: what the rules that deny
// name for it, and what its schema does.
type ownWords struct {
	tool  *skills.Tool
	mends []*skills.Mend
}

// of reports false for a place that no rule reads, or that the schema does not declare:
// its name may be the model's.
func (o ownWords) of(at []sexpr.Value) (own nearby.Own, ok bool) {
	t, declared := typeAt(o.tool.Params, at)
	if !declared {
		return own, false
	}
	name := joined(at)
	for _, m := range o.mends {
		for _, p := range m.Parts {
			if p.At == "" || p.At == name || strings.HasPrefix(name, p.At+".") {
				ok = true
				own.Values = append(own.Values, p.Values...)
				own.Words = append(own.Words, p.Words...)
			}
		}
	}
	switch t.Kind { //nolint:exhaustive // the others have no values of their own
	case skills.KindEnum:
		own = nearby.Own{}
		for _, w := range t.Enum {
			own.Values = append(own.Values, sexpr.Str(w))
		}
	case skills.KindURL, skills.KindCommand, skills.KindSQL: // made of parts: a word of a rule is none of them whole
		own.Values = nil
		own.Words = slices.DeleteFunc(own.Words, func(w string) bool { return strings.ContainsAny(w[:min(1, len(w))], "/~") })
	}
	return own, ok
}

// typeAt finds the type at a place, step by step.
func typeAt(params []skills.Param, at []sexpr.Value) (t skills.Type, ok bool) {
	t = skills.Type{Kind: skills.KindObject, Params: params}
	for _, step := range at {
		switch {
		case t.Kind == skills.KindObject && step.Kind() == sexpr.String:
			i := 0
			for i < len(t.Params) && t.Params[i].Name != step.Text() {
				i++
			}
			if i == len(t.Params) {
				return t, false
			}
			t = t.Params[i].Type
		case t.Kind == skills.KindList && step.Kind() == sexpr.Int:
			if t.Elem == nil {
				t = skills.Type{}
			} else {
				t = *t.Elem
			}
		default:
			return t, false
		}
	}
	return t, true
}

// joined is a place as rules spell it.
func joined(at []sexpr.Value) string {
	var out []string
	for _, s := range at {
		if s.Kind() == sexpr.String {
			out = append(out, s.Text())
		} else {
			out = append(out, s.String())
		}
	}
	return strings.Join(out, ".")
}
