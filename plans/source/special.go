package source

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// special fills the fields that are more than a structure or a list. It reports false for the
// others.
func (d *decoder) special(v sexpr.Value, to reflect.Value, what string, tag reflect.StructTag) bool {
	switch x := to.Addr().Interface().(type) {
	case *Text:
		*x, _ = d.text(v, what, tag)
	case *Int:
		d.int(v, x, what, tag)
	case *Bool:
		d.bool(v, x, what)
	case *Data:
		if err := sexpr.CheckJSON(v); err != nil {
			d.Add(v.Pos(), err, "%s: %s", what, err)
		}
		x.V = v
	case *Cond:
		d.cond(v, x, what)
	case *Confirmation:
		d.confirmation(v, x, what)
	case *Count:
		if v.Kind() == sexpr.String {
			x.Key, _ = d.text(v, what, `form:"path"`)
		} else {
			x.N = &Int{}
			d.int(v, x.N, what, `len:"0..1000"`)
		}
	case *Prose:
		d.prose(v, x, what)
	case *Proses:
		d.each(v, what, func(key, value sexpr.Value) {
			n := NamedProse{Name: Text{key.Text(), key.Pos()}}
			d.prose(value, &n.Is, what+" "+key.Text())
			*x = append(*x, n)
		})
		slices.SortFunc(*x, func(a, b NamedProse) int { return cmp.Compare(a.Name.S, b.Name.S) })
	case *Texts:
		d.texts(v, x, what)
	case *Criteria:
		d.criteria(v, x, what)
	case *Body:
		x.At = v.Pos()
		if v.Kind() == sexpr.String {
			x.Ref, _ = d.text(v, what, "")
		} else {
			d.list(v, reflect.ValueOf(&x.Steps).Elem(), what, `len:"1.."`)
		}
	case *Feature:
		if v.Kind() != sexpr.String {
			return false
		}
		x.ID, _ = d.text(v, what, "")
	default:
		return false
	}
	return true
}

func (d *decoder) int(v sexpr.Value, x *Int, what string, tag reflect.StructTag) {
	x.At = v.Pos()
	switch {
	case v.Kind() == sexpr.Int && v.Int() >= -1<<31 && v.Int() < 1<<31:
		x.N = int(v.Int())
	case v.Kind() == sexpr.Float && v.Float() == float64(int32(v.Float())): // 5.0 is 5 in JSON
		x.N = int(v.Float())
	default:
		d.Add(v.Pos(), nil, "%s: found %s, expected a whole number", what, found(v))
		return
	}
	if tag.Get("len") != "" {
		d.bounded(v.Pos(), what, "as the number", x.N, tag)
	}
}

func (d *decoder) bool(v sexpr.Value, x *Bool, what string) {
	x.At = v.Pos()
	switch {
	case v.IsSym("t"):
		x.B = true
	case v.IsSym("false"), v.IsNil() && !d.json:
	default:
		d.Add(v.Pos(), nil, "%s: found %s, expected true or false", what, found(v))
	}
}

func (d *decoder) texts(v sexpr.Value, x *Texts, what string) {
	d.each(v, what, func(key, value sexpr.Value) {
		t := Text{value.Text(), value.Pos()}
		if value.Kind() != sexpr.String && (value.Kind() != sexpr.Keyword || d.json) {
			d.Add(value.Pos(), nil, "%s: found %s, expected a text", what, found(value))
		}
		*x = append(*x, NamedText{Text{key.Text(), key.Pos()}, t})
	})
	slices.SortFunc(*x, func(a, b NamedText) int { return cmp.Compare(a.Name.S, b.Name.S) })
}

// prose reads a text, a snippet, or a list of both.
func (d *decoder) prose(v sexpr.Value, x *Prose, what string) {
	x.At = v.Pos()
	parts := []sexpr.Value{v}
	if v.Kind() == sexpr.List && !v.IsPlist() {
		parts = v.Items()
	}
	for _, p := range parts {
		if p.Kind() == sexpr.String {
			x.Parts = append(x.Parts, Part{Text: Text{p.Text(), p.Pos()}})
			continue
		}
		if p.IsPlist() && p.GetText("kind") == "text" {
			var text struct {
				Kind Text `is:"kind" need:"y" one:"text"`
				Text Text `is:"text" need:"y"`
			}
			d.object(p, reflect.ValueOf(&text).Elem(), what)
			x.Parts = append(x.Parts, Part{Text: text.Text})
			continue
		}
		var ref struct {
			Kind Text `is:"kind" need:"y" one:"ref text"`
			ID   Text `is:"refId" need:"y"`
		}
		d.object(p, reflect.ValueOf(&ref).Elem(), what)
		x.Parts = append(x.Parts, Part{Ref: ref.ID})
	}
}

func (d *decoder) confirmation(v sexpr.Value, x *Confirmation, what string) {
	x.At = v.Pos()
	_, kind := v.Get("kind")
	switch {
	case kind:
		var k struct {
			Kind Text `is:"kind" need:"y" one:"human_approval coordinator_eval"`
		}
		d.object(v, reflect.ValueOf(&k).Elem(), what)
		x.Kind = k.Kind.S
	case v.IsPlist():
		x.Kind = "human_approval"
		d.cond(v, &x.When, what)
	default:
		var b Bool
		if d.bool(v, &b, what); b.B {
			x.Kind = "human_approval"
		}
	}
}

// criteria reads a rule, a list of rules that must all hold, or others put together.
func (d *decoder) criteria(v sexpr.Value, x *Criteria, what string) {
	x.At = v.Pos()
	all := func(v sexpr.Value) []Criteria {
		out := make([]Criteria, v.Len())
		if v.Len() == 0 || v.IsPlist() {
			d.Add(v.Pos(), nil, "%s: found %s, expected a list of rules", what, found(v))
			return nil
		}
		for i, e := range v.Items() {
			d.criteria(e, &out[i], what)
		}
		return out
	}
	if v.Kind() == sexpr.List && !v.IsPlist() {
		x.And = all(v)
		return
	}
	if v.Len() == 2 {
		switch v.Items()[0].Text() {
		case "and":
			x.And = all(v.Items()[1])
			return
		case "or":
			x.Or = all(v.Items()[1])
			return
		case "not":
			x.Not = &Criteria{}
			d.criteria(v.Items()[1], x.Not, what)
			return
		}
	}
	x.Rule = &Rule{}
	d.object(v, reflect.ValueOf(x.Rule).Elem(), what)
}
