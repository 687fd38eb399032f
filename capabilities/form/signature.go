package form

import (
	"cmp"
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

var (
	inputMembers  = []member{{"from", "fact", false}, {"secret", "`t` or `nil`", false}}
	outputMembers = []member{{"to", "key of work", false}}
)

// reserved are names that mean something else in slots, once-keys or calls.
var reserved = []string{"work", "facts", Principal, planParam}

// signature reads inputs and outputs.
func (c *Capability) signature(o object) {
	c.Inputs, c.Outputs = o.fieldList("inputs", inputMembers), o.fieldList("outputs", outputMembers)
	for _, in := range c.Inputs {
		if slices.Contains(reserved, in.Name) {
			v, _ := o.get("inputs")
			o.add(v.Pos(), "an input cannot be called %s, which means something else; write %s-name", in.Name, in.Name)
		}
	}
	for _, v := range o.keys("required", "names of inputs such as (:app)") {
		i := slices.IndexFunc(c.Inputs, func(f Field) bool { return v.IsKey(f.Name) })
		if i < 0 {
			o.add(v.Pos(), ":required has %s, which is not an input%s", found(v),
				spell.DidYouMean(v.Text(), c.inputNames()))
			continue
		}
		c.Inputs[i].Required = true
	}
}

// fieldList reads names with their types: (:app (string :from facts.ctx.app) :count (integer 1 9)).
func (o object) fieldList(key string, known []member) []Field {
	names, values := o.pairs(key, "a type such as string")
	out := make([]Field, len(names))
	for i, n := range names {
		out[i] = o.field(n, values[i], known)
	}
	return out
}

// field reads one name with its type. Members of ours stand behind the type, in its list.
func (o object) field(name, v sexpr.Value, known []member) Field {
	out, typ := Field{Name: name.Text()}, v
	if items := v.Items(); len(items) > 0 {
		at := len(items)
		for i := len(items) - 2; i > 0; i -= 2 {
			if items[i].Kind() == sexpr.Keyword && !items[i].IsKey("required") {
				at = i
			}
		}
		if at < len(items) {
			p := object{faults: o.faults, what: ":" + out.Name, at: v.Pos(), has: map[string]sexpr.Value{}}
			p.take(items[at:], known)
			out.From, out.To = p.path("from", "facts.ctx.app"), p.path("to", "work.site")
			out.Secret = p.flag("secret")
		}
		if typ = sexpr.ListOf(items[:at]...).At(v.Pos()); at == 1 {
			typ = items[0]
		}
	}
	if out.To != "" {
		if out.To = workKey(out.To); out.To == out.Name {
			out.To = ""
		}
	}
	params, err := rules.Params(o.file, "", sexpr.ListOf(name, typ).At(v.Pos()))
	o.rules(err)
	if len(params) == 1 {
		out.Type = params[0].Type
	}
	return out
}

// path reads the name of a fact, as a symbol or a text.
func (o object) path(key, such string) string {
	v, ok := o.get(key)
	shape := factShape
	if key == "to" {
		shape = toShape
	}
	if ok && (v.Kind() != sexpr.Symbol && v.Kind() != sexpr.String || !shape.MatchString(v.Text())) {
		o.wrong(key, v, "a name such as "+such)
		return ""
	}
	return v.Text()
}

// result reads the values of outputs.
func (c *Capability) result(o object) {
	names, values := o.pairs("result", "a value")
	for i, n := range names {
		if err := sexpr.CheckJSON(values[i]); err != nil {
			o.add(values[i].Pos(), ":result: %s", err)
			continue
		}
		if !slices.ContainsFunc(c.Outputs, func(f Field) bool { return f.Name == n.Text() }) {
			o.add(n.Pos(), ":result gives %s, which is not among :outputs%s", n, spell.DidYouMean(n.Text(), c.outputNames()))
		}
		c.Result = append(c.Result, Named{n.Text(), values[i]})
	}
	slices.SortFunc(c.Result, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	for _, out := range c.Outputs {
		if !slices.ContainsFunc(c.Result, func(r Named) bool { return r.Name == out.Name }) {
			o.add(o.at, "nothing gives the output %s; write :result (:%s ...)", out.Name, out.Name)
		}
	}
}

func (c *Capability) outputNames() (names []string) {
	for _, f := range c.Outputs {
		names = append(names, f.Name)
	}
	return names
}
