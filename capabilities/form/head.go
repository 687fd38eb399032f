package form

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

var (
	compatMembers = []member{{"env", "texts", false}, {"toolset", "text", false}, {"repo", "text", false}}
	needsMembers  = []member{{"tools", "texts", false}, {"when", "conditions", false}}
	offerMembers  = []member{
		{"goals", "texts", false}, {"keywords", "texts", false}, {"weights", "object", false},
		{"tau", "number from 0", false}, {"cooldown", "seconds", false}, {"at-once", "whole number", false},
	}
	weightMembers = []member{
		{"goal", "number from 0", false}, {"keyword", "number from 0", false}, {"entity", "number from 0", false},
		{"recent", "number from 0", false},
	}
	onceMembers   = []member{{"key", "texts and names of inputs, 1 at least", true}, {"within", "seconds", false}}
	budgetMembers = []member{{"usd", "number from 0", false}, {"ms", "milliseconds", false}}
	parserMembers = []member{{"model", "text", true}, {"prompt", "text", true}}
	minedMembers  = []member{
		{"traces", "texts", false}, {"support", "number, 0 to 1", false}, {"success", "number, 0 to 1", false},
		{"delta-cost", "number", false}, {"delta-p95", "number", false},
	}
)

const (
	year = 366 * 24 * 3600 // seconds
	day  = 24 * 3600 * 1000
)

// head reads who a capability is of, for whom, and where.
func (c *Capability) head(o object) {
	c.Version, c.Owner = o.text("version", 64), o.text("owner", 128)
	if v, ok := o.get("version"); ok && c.Version != "" && !versionShape.MatchString(c.Version) {
		o.wrong("version", v, `a semantic version such as "1.0.0"`)
	}
	c.Scope = o.oneOf("scope", ScopeProject, ScopeOrg)
	c.Roles, c.Doc, c.Augment = o.texts("roles"), o.text("doc", 4096), o.text("augment", 4096)
	if v, ok := o.get("compat"); ok {
		p := o.object(v, ":compat", compatMembers)
		c.Compat = Compat{Env: p.texts("env"), Toolset: p.text("toolset", 128), Repo: p.text("repo", 512)}
	}
	c.Gate = sexpr.Nil()
	if items := o.items("gate", "clauses such as ((deny name :when ... :reason ...))"); len(items) > 0 {
		c.Gate, _ = o.get("gate")
	}
}

// start reads when a capability may be started, and how often.
func (c *Capability) start(o object) {
	if v, ok := o.get("needs"); ok {
		p := o.object(v, ":needs", needsMembers)
		c.Needs.Tools = p.texts("tools")
		for _, w := range p.items("when", "conditions such as ((= facts.ctx.a facts.env.a))") {
			c.Needs.When = append(c.Needs.When, &Condition{form: w})
		}
	}
	if v, ok := o.get("offer"); ok {
		p := o.object(v, ":offer", offerMembers)
		c.Offer = Offer{Goals: p.texts("goals"), Keywords: p.texts("keywords"), Tau: p.number("tau", 0, 1e9),
			Cooldown: p.whole("cooldown", 0, year), AtOnce: int(p.whole("at-once", 1, 1000))}
		if v, ok := p.get("weights"); ok {
			w := o.object(v, ":weights", weightMembers)
			c.Offer.Weights = Weights{Goal: w.number("goal", 0, 1e9), Keyword: w.number("keyword", 0, 1e9),
				Entity: w.number("entity", 0, 1e9), Recent: w.number("recent", 0, 1e9)}
		}
	}
	if v, ok := o.get("once"); ok {
		p := o.object(v, ":once", onceMembers)
		c.Once = &Once{Key: c.key(p), Within: p.whole("within", 1, 100*year)}
	}
	if v, ok := o.get("budget"); ok {
		p := o.object(v, ":budget", budgetMembers)
		c.Budget = Budget{USD: p.number("usd", 0, 1e9), MS: p.whole("ms", 1, 30*day)}
	}
}

// key reads a once-key.
func (c *Capability) key(o object) (parts []KeyPart) {
	for _, v := range o.keys("key", `texts and names of inputs such as ("deploy" :app)`) {
		switch v.Kind() {
		case sexpr.String:
			parts = append(parts, KeyPart{Text: v.Text()})
			continue
		case sexpr.Keyword:
			parts = append(parts, KeyPart{Input: v.Text()})
			in, ok := c.input(v.Text())
			if v.Text() != Principal && !ok {
				o.add(v.Pos(), "the once-key names %s, which is not an input%s", clip(v.String()),
					spell.DidYouMean(v.Text(), append(c.inputNames(), Principal)))
			} else if in.Secret {
				o.add(v.Pos(), "the once-key names %s, which is secret: a digest would hide it badly; "+
					"name another input", v)
			}
			continue
		}
		o.add(v.Pos(), "the once-key has %s, expected texts and names of inputs", found(v))
	}
	if v, ok := o.get("key"); ok && len(parts) == 0 && o.none() {
		o.wrong("key", v, `at least one text or name of an input`)
	}
	return parts
}

// learnt reads the pinned parsers, and what the capability was learnt from.
func (c *Capability) learnt(o object) {
	names, values := o.pairs("parsers", "a parser")
	for i, n := range names {
		p := o.object(values[i], "the parser of :"+n.Text(), parserMembers)
		in, ok := c.input(n.Text())
		switch {
		case !ok:
			o.add(n.Pos(), "there is a parser of %s, which is not an input%s", n,
				spell.DidYouMean(n.Text(), c.inputNames()))
		case in.Secret:
			o.add(n.Pos(), "there is a parser of %s, which is secret: no model is shown secrets; leave it out", n)
		}
		c.Parsers = append(c.Parsers, Parser{Input: n.Text(), Model: p.text("model", 128), Prompt: p.text("prompt", 8192)})
	}
	slices.SortFunc(c.Parsers, func(a, b Parser) int { return cmp.Compare(a.Input, b.Input) })
	if v, ok := o.get("provenance"); ok {
		p := o.object(v, ":provenance", minedMembers)
		any := math.MaxFloat64
		c.From = Provenance{Traces: p.texts("traces"), Support: p.number("support", 0, 1),
			Success: p.number("success", 0, 1), DeltaCost: p.number("delta-cost", -any, any),
			DeltaP95: p.number("delta-p95", -any, any)}
	}
}

func (c *Capability) input(name string) (Field, bool) {
	i := slices.IndexFunc(c.Inputs, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return c.Inputs[i], true
}

func (c *Capability) inputNames() (names []string) {
	for _, f := range c.Inputs {
		names = append(names, f.Name)
	}
	return names
}

// workKey is a key of work without the name of work before it.
func workKey(path string) string { return strings.TrimPrefix(path, "work.") }
