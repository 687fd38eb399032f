package form

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Print writes the capability as a plist, laid out. [Read] of it has the same hash.
func (c *Capability) Print() string {
	p := &printer{}
	p.b.WriteString("(" + define + " " + c.ID)
	p.text("version", c.Version)
	p.text("owner", c.Owner)
	p.member("scope", sexpr.Key(c.Scope))
	p.texts("roles", c.Roles)
	p.text("doc", c.Doc)
	p.text("augment", c.Augment)
	p.plist("compat", plist{}.texts("env", c.Compat.Env).text("toolset", c.Compat.Toolset).text("repo", c.Compat.Repo))
	p.plist("inputs", fieldsOf(c.Inputs))
	p.list("required", required(c.Inputs))
	p.plist("outputs", fieldsOf(c.Outputs))
	p.plist("needs", plist{}.texts("tools", c.Needs.Tools).list("when", formsOf(c.Needs.When)))
	p.plist("offer", c.Offer.plist())
	if c.Once != nil {
		p.plist("once", plist{}.list("key", keyOf(c.Once.Key)).whole("within", c.Once.Within))
	}
	p.plist("budget", plist{}.number("usd", c.Budget.USD).whole("ms", c.Budget.MS))
	p.b.WriteString("\n  :plan\n  (")
	for i := range c.Steps {
		p.step(i, &c.Steps[i])
	}
	p.b.WriteByte(')')
	p.plist("result", namedOf(c.Result))
	p.list("gate", c.Gate.Items())
	p.list("tests", testsOf(c.Tests))
	p.plist("fuzz", plist{}.whole("count", int64(c.Fuzz.Count)).texts("mutations", c.Fuzz.Mutations))
	p.plist("rates", plist{}.number("unit", c.MinRate.Unit).number("fuzz", c.MinRate.Fuzz))
	p.plist("parsers", parsersOf(c.Parsers))
	f := c.From
	p.plist("provenance", plist{}.texts("traces", f.Traces).number("support", f.Support).number("success", f.Success).
		number("delta-cost", f.DeltaCost).number("delta-p95", f.DeltaP95))
	return p.b.String() + ")\n"
}

// printer writes the members of a definition, one a line.
type printer struct{ b strings.Builder }

func (p *printer) member(key string, v sexpr.Value) {
	p.b.WriteString("\n  :" + key + " " + v.String())
}

func (p *printer) text(key, s string) {
	if s != "" {
		p.member(key, sexpr.Str(s))
	}
}

func (p *printer) texts(key string, all []string) { p.list(key, textsOf(all)) }

func (p *printer) plist(key string, all plist) { p.list(key, all) }

func (p *printer) list(key string, all []sexpr.Value) {
	if len(all) > 0 {
		p.member(key, sexpr.ListOf(all...))
	}
}

// step writes a step: its head on one line, its arguments and what makes up for it on others.
func (p *printer) step(i int, s *Step) {
	if i > 0 {
		p.b.WriteString("\n   ")
	}
	p.b.WriteString("(" + word(s.Name).String())
	for _, v := range s.head() {
		p.b.WriteString(" " + v.String())
	}
	if !s.Args.IsSym("{}") {
		p.b.WriteString("\n     :args " + s.Args.String())
	}
	if s.Undo == nil {
		p.b.WriteString("\n     :undo " + sexpr.Str(s.Why).String() + ")")
		return
	}
	undo := plist{}.text("tool", s.Undo.Tool).object("args", s.Undo.Args)
	p.b.WriteString("\n     :undo " + sexpr.ListOf(undo...).String() + ")")
}

// head are the members of a step that stand on its first line.
func (s *Step) head() plist {
	out := plist{}.text("tool", s.Tool).whole("ms", s.MS).whole("retries", int64(s.Retries))
	if s.Idempotent {
		out = out.with("idempotent", sexpr.T())
	}
	if s.When != nil {
		out = out.with("when", s.When.form)
	}
	if s.Guard != nil {
		out = out.with("guard", s.Guard.form)
	}
	var parts plist
	for _, o := range s.Out {
		parts = parts.with(o.Name, sexpr.Sym(o.Part))
	}
	return out.list("out", parts)
}

// plist is a plist that is made: what is empty is left out.
type plist []sexpr.Value

func (p plist) with(key string, v sexpr.Value) plist { return append(p, sexpr.Key(key), v) }

func (p plist) text(key, s string) plist {
	if s == "" {
		return p
	}
	return p.with(key, sexpr.Str(s))
}

func (p plist) texts(key string, all []string) plist { return p.list(key, textsOf(all)) }

func (p plist) list(key string, all []sexpr.Value) plist {
	if len(all) == 0 {
		return p
	}
	return p.with(key, sexpr.ListOf(all...))
}

func (p plist) object(key string, v sexpr.Value) plist {
	if v.IsNil() || v.IsSym("{}") {
		return p
	}
	return p.with(key, v)
}

func (p plist) whole(key string, n int64) plist {
	if n == 0 {
		return p
	}
	return p.with(key, sexpr.Int64(n))
}

func (p plist) number(key string, n float64) plist {
	if n == 0 {
		return p
	}
	return p.with(key, sexpr.Float64(n))
}

func textsOf(all []string) (out []sexpr.Value) {
	for _, s := range all {
		out = append(out, sexpr.Str(s))
	}
	return out
}

// word is a name as a symbol, or as a text where the symbol would be the empty list.
func word(name string) sexpr.Value {
	if v := sexpr.Sym(name); !v.IsNil() {
		return v
	}
	return sexpr.Str(name)
}
