package mine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// plan is a sequence with slots in it.
type plan struct {
	steps    []planned
	inputs   []input
	env      []string // that it was seen in; nil if that is not known
	facts    []fact
	keywords []string
	ms       int64 // of the whole, the 95th percentile
	reads    bool  // no step changes anything
}

// planned is one step.
type planned struct {
	name, tool string
	args       []argument
	outs       []outcome
	ms         int64 // the 95th percentile
	reads      bool
}

type argument struct {
	path   string
	text   string // with slots
	kind   sexpr.Kind
	source string // where its constants came from, and its slots
}

// fact is one of facts.ctx that was the same in all traces.
type fact struct {
	name  string
	value sexpr.Value
}

// outcome is a part of a receipt that a later step takes.
type outcome struct{ name, from string }

// input is a slot that who calls the capability fills in.
type input struct {
	name   string
	kind   string
	values []string // one a trace
}

// general makes a plan of the traces that have a sequence, or says why it cannot.
func (m *Miner) general(g *gram) (*plan, string) {
	n := len(g.shapes)
	all := make([][]*call, len(g.at))
	for i, p := range g.at {
		all[i] = p.calls(n)
	}
	p := &plan{reads: true}
	for s := range n {
		x, why := p.step(all, s)
		if why != "" {
			return nil, fmt.Sprintf("call %d, %s: %s", s+1, all[0][s].tool, why)
		}
		x.reads = m.reads[x.tool]
		p.reads = p.reads && x.reads
		p.steps = append(p.steps, x)
	}
	p.observed(g, all)
	return p, ""
}

// step makes one step.
func (p *plan) step(all [][]*call, s int) (planned, string) {
	first := all[0][s]
	x := planned{name: fmt.Sprintf("s%d", s+1), tool: first.tool}
	var took []int64
	for _, calls := range all {
		c := calls[s]
		switch {
		case c.secret:
			return x, "something in it is secret, or a person's answer"
		case c.odd:
			return x, "the name of an argument is made of other than letters, digits, _ and -"
		case c.alien:
			return x, "an output gave it the name of an argument"
		case len(c.leaves) != len(first.leaves):
			return x, "its arguments have another shape from trace to trace"
		}
		took = append(took, c.ended-c.began)
	}
	x.ms = atLeast(percentile(took), 1000)
	for i := range first.leaves {
		a, why := p.argument(all, s, i)
		if why != "" {
			return x, why
		}
		x.args = append(x.args, a)
	}
	return x, ""
}

// argument makes one argument, word by word.
func (p *plan) argument(all [][]*call, s, i int) (argument, string) {
	first := all[0][s].leaves[i]
	a := argument{path: first.path, kind: first.kind}
	var words []string
	var from origins
	for w := range first.words {
		values := make([]*word, len(all))
		for t, calls := range all {
			l := calls[s].leaves
			if l[i].path != first.path || l[i].kind != first.kind || len(l[i].words) != len(first.words) {
				return a, "its arguments have another shape from trace to trace"
			}
			values[t] = &l[i].words[w]
		}
		text, source, why := p.part(all, s, a.path, words, values)
		if why != "" {
			return a, fmt.Sprintf(":%s, word %d: %s", a.path, w+1, why)
		}
		words = append(words, text)
		from.add(text, source)
	}
	a.text, a.source = strings.Join(words, " "), from.String()
	return a, ""
}

// part makes a constant or a slot of what stands at one place.
func (p *plan) part(all [][]*call, s int, path string, before []string, values []*word) (text, source, why string) {
	same, alien, user, rule := true, false, 0, 0
	for _, v := range values {
		same = same && v.text == values[0].text
		alien = alien || v.alien
		if v.user {
			user++
		}
		if v.rule {
			rule++
		}
	}
	if same {
		return constant(values[0].text, alien, user, rule, len(values))
	}
	for _, v := range values {
		if strings.HasPrefix(v.text, "-") || strings.Contains(v.text, "{{") {
			return "", "", "it differs, and a slot cannot take what begins with a dash or holds a slot"
		}
	}
	if fact := shared(values); fact != "" {
		return "{{facts.ctx." + fact + "}}", "a fact", ""
	}
	if slices.IndexFunc(values, func(v *word) bool { return !v.user && len(v.facts) == 0 }) < 0 {
		name := p.input(slotName(path, before), values)
		return "{{" + name + "}}", "the user's words, or a fact, in each trace", ""
	}
	if name := p.output(all, s, values); name != "" {
		return "{{work." + name + "}}", "an earlier output", ""
	}
	return "", "", "it differs, and did not stand each time in the user's words, a fact or an earlier output of these " +
		"calls"
}

// origins are the words of an argument by where they came from, for the person who reviews it.
type origins struct {
	sources []string
	words   map[string][]string
}

func (o *origins) add(word, source string) {
	if o.words == nil {
		o.words = map[string][]string{}
	}
	if o.words[source] == nil {
		o.sources = append(o.sources, source)
	}
	o.words[source] = append(o.words[source], word)
}

// String is one line: a line end in a word would end the comment that it stands in.
func (o *origins) String() string {
	parts := make([]string, len(o.sources))
	for i, s := range o.sources {
		parts[i] = strconv.Quote(strings.Join(o.words[s], " ")) + ": " + s
	}
	return strings.Join(parts, "; ")
}

// constant is what never differed.
func constant(text string, alien bool, user, rule, n int) (out, source, why string) {
	switch {
	case alien:
		return "", "", "only an output had said what is always the same there"
	case strings.Contains(text, "{{"):
		return "", "", "it holds the sign of a slot"
	case user == n:
		return text, "the user's in all traces", ""
	case rule == n:
		return text, "in a rule", ""
	case user > 0:
		return text, fmt.Sprintf("the user's in %d of %d traces, else the model's own", user, n), ""
	}
	return text, "the model's own", ""
}

// shared is the first fact that all values were; "" for none.
func shared(values []*word) string {
	var names []string
	for _, f := range values[0].facts {
		if slices.IndexFunc(values, func(v *word) bool { return !slices.Contains(v.facts, f) }) < 0 {
			names = append(names, f)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

// input returns the input that had these values, a new one if there is none.
func (p *plan) input(name string, values []*word) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.text
	}
	if i := slices.IndexFunc(p.inputs, func(x input) bool { return slices.Equal(x.values, texts) }); i >= 0 {
		return p.inputs[i].name
	}
	taken := func(n string) bool {
		return slices.ContainsFunc(p.inputs, func(x input) bool { return x.name == n })
	}
	for base, k := name, 2; taken(name); k++ {
		name = base + strconv.Itoa(k)
	}
	p.inputs = append(p.inputs, input{name, kindOf(texts), texts})
	return name
}

// output returns what a slot calls an earlier output that all values were; "" for none.
func (p *plan) output(all [][]*call, s int, values []*word) string {
	for k := s - 1; k >= 0; k-- {
		for _, from := range sources(all[0][k]) {
			same := true
			for t, calls := range all {
				same = same && taken(calls[k], from) == values[t].text
			}
			if !same {
				continue
			}
			x := &p.steps[k]
			for _, o := range x.outs {
				if o.from == from {
					return o.name
				}
			}
			name := fmt.Sprintf("%s-%d", x.name, len(x.outs)+1)
			x.outs = append(x.outs, outcome{name, from})
			return name
		}
	}
	return ""
}

// sources are the parts of what a call returned, its text first.
func sources(c *call) []string {
	out := make([]string, 0, 1+len(c.fields))
	for path := range c.fields {
		if plainPath(path) {
			out = append(out, "result."+path)
		}
	}
	slices.Sort(out)
	return append([]string{"text"}, out...)
}

func taken(c *call, from string) string {
	if from == "text" {
		return c.out
	}
	return c.fields[strings.TrimPrefix(from, "result.")]
}
