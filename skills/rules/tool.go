package rules

import (
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// tool reads a deftool.
func (d *definitions) tool(s *source, v sexpr.Value) {
	d.decides(s)
	name, ok := d.name(s, v)
	if !ok {
		return
	}
	at := v.Items()[1].Pos()
	if t := d.b.Tools[name]; t != nil && t.Builtin {
		d.b.faults.add(s, at, nil, "the tool %s is built in", name)
		return
	}
	for _, other := range d.b.Spellings(name) {
		if other != name {
			d.b.faults.add(s, at, nil, "the tools %s and %s differ by case alone", min(other, name), max(other, name))
		}
	}
	f := d.b.fields(s, v, 2, "deftool")
	t := &skills.Tool{Name: name, Doc: f.text("doc"), Idempotent: f.flag("idempotent"), Source: v}
	k := kinds{f}
	if p, ok := f.get("params"); ok {
		t.Params = k.params(p)
	}
	t.Required = k.names("required", t.Params)
	t.Secret = k.names("secret", t.Params)
	switch f.oneOf("tier", "allow", "ask", "deny") {
	case "allow":
		t.Tier = skills.TierAllow
	case "deny":
		t.Tier = skills.TierDeny
	}
	switch f.oneOf("effect", "none", "local", "external") {
	case "none":
		t.Effect = skills.EffectNone
	case "local":
		t.Effect = skills.EffectLocal
	}
	k.output(t)
	k.spends(t)
	k.intent(t)
	d.b.AddTool(t)
	d.tools = append(d.tools, defined[*skills.Tool]{s, t})
}

// kinds reads types and names of parameters.
type kinds struct{ f *fields }

func (k kinds) fail(p sexpr.Pos, format string, args ...any) {
	k.f.b.faults.add(k.f.src, p, nil, format, args...)
}

// maxParams bounds the members of one object.
const maxParams = 256

// params reads (:cmd command :timeout (integer 1 300)).
func (k kinds) params(v sexpr.Value) []skills.Param {
	items := v.Items()
	if v.Kind() != sexpr.List || len(items)%2 != 0 || len(items) > 2*maxParams {
		k.fail(v.Pos(), "found %s, expected names with their kinds: (:cmd command :timeout (integer 1 300))", clipped(v))
		return nil
	}
	var out []skills.Param
	for i := 0; i < len(items); i += 2 {
		n := items[i]
		if n.Kind() != sexpr.Keyword || n.Text() == "" {
			k.fail(n.Pos(), "found a %s, expected the name of a parameter such as :cmd", n.Kind())
			continue
		}
		for _, p := range out {
			if p.Name == n.Text() {
				k.fail(n.Pos(), "the parameter :%s is declared twice", condition.PrintKey(p.Name))
			} else if condition.FoldEqual(p.Name, n.Text()) {
				k.fail(n.Pos(), "the parameters %s and %s differ by case alone", condition.PrintKey(p.Name),
					condition.PrintKey(n.Text()))
			}
		}
		out = append(out, skills.Param{Name: n.Text(), Type: k.kind(items[i+1])})
	}
	return out
}

// names reads a list of keywords, each the name of one of params.
func (k kinds) names(key string, params []skills.Param) []string {
	v, ok := k.f.get(key)
	if !ok {
		return nil
	}
	return k.nameList(v, params)
}

func (k kinds) nameList(v sexpr.Value, params []skills.Param) []string {
	if v.Kind() != sexpr.List {
		k.fail(v.Pos(), "found %s, expected a list of names such as (:cmd)", clipped(v))
	}
	var out []string
	for _, n := range v.Items() {
		if k.declared(n, params) && !contains(out, n.Text()) {
			out = append(out, n.Text())
		}
	}
	return out
}

// declared sees that a keyword is the name of a parameter.
func (k kinds) declared(n sexpr.Value, params []skills.Param) bool {
	if n.Kind() == sexpr.Keyword && slices.ContainsFunc(params, func(p skills.Param) bool { return p.Name == n.Text() }) {
		return true
	}
	var known []string
	for _, p := range params {
		known = append(known, ":"+condition.PrintKey(p.Name))
	}
	k.fail(n.Pos(), "%s is not among the :params%s", clipped(n), spell.DidYouMean(":"+n.Text(), known))
	return false
}

func (k kinds) output(t *skills.Tool) {
	v, ok := k.f.get("output")
	if !ok {
		return
	}
	if !v.IsPlist() {
		w := k.f.oneOf("output", "trusted", "untrusted", "mixed")
		t.Trusted, t.Mixed = w == "trusted", w == "mixed"
		return
	}
	t.Fields = map[string]bool{}
	for i := 0; i < v.Len(); i += 2 {
		n := v.Items()[i]
		if i+1 == v.Len() || n.Kind() != sexpr.Keyword || !v.Items()[i+1].IsKey("trusted") &&
			!v.Items()[i+1].IsKey("untrusted") {
			k.fail(n.Pos(), "expected fields of the output, each :trusted or :untrusted: (:from :trusted :body :untrusted)")
			return
		}
		t.Fields[n.Text()] = v.Items()[i+1].IsKey("trusted")
	}
}

// spends reads (:money :amount :calls 1).
func (k kinds) spends(t *skills.Tool) {
	v, ok := k.f.get("spends")
	if !ok {
		return
	}
	items := v.Items()
	if !v.IsPlist() || len(items)%2 != 0 {
		k.fail(v.Pos(), "found %s, expected budgets, each with an argument or a number: (:money :amount)", clipped(v))
		return
	}
	for i := 0; i < len(items); i += 2 {
		n, a := items[i], items[i+1]
		sp := skills.Spending{Budget: n.Text()}
		switch {
		case n.Kind() != sexpr.Keyword || !isIdentifier(n.Text()):
			k.fail(n.Pos(), "found %s, expected the name of a budget such as :money", clipped(n))
			continue
		case a.Kind() == sexpr.Int && a.Int() >= 0:
			sp.Fixed = float64(a.Int())
		case a.Kind() == sexpr.Float && a.Float() >= 0:
			sp.Fixed = a.Float()
		case k.declared(a, t.Params):
			sp.Arg = a.Text()
			p := t.Params[slices.IndexFunc(t.Params, func(p skills.Param) bool { return p.Name == a.Text() })]
			if p.Type.Kind != skills.KindInteger && p.Type.Kind != skills.KindNumber {
				k.fail(a.Pos(), ":%s is not a number, so it cannot be spent", condition.PrintKey(a.Text()))
			}
		}
		t.Spends = append(t.Spends, sp)
	}
}
