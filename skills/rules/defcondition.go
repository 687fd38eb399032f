package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

// maxArguments bounds the names of one defcondition.
const maxArguments = 16

// condition reads a defcondition: (defcondition NAME (X ...) BODY), with a text for
// people before the body if there is one.
func (d *definitions) condition(s *source, v sexpr.Value) {
	name, ok := d.name(s, v)
	if !ok {
		return
	}
	items := v.Items()
	if why := d.b.Unfit(name); why != "" {
		d.b.faults.add(s, items[1].Pos(), nil, "%s", why)
		return
	}
	if len(items) < 4 || len(items) > 5 || items[2].Kind() != sexpr.List || items[2].Len() > maxArguments ||
		len(items) == 5 && items[3].Kind() != sexpr.String {
		d.b.faults.add(s, v.Pos(), nil, "found %s, expected (defcondition %s (x ...) CONDITION), with at most %d names",
			clipped(v), name, maxArguments)
		return
	}
	for _, p := range items[2].Items() {
		if p.Kind() != sexpr.Symbol || !isIdentifier(p.Text()) || strings.Contains(p.Text(), ".") {
			d.b.faults.add(s, p.Pos(), nil, "found %s, expected a name for an argument: letters, digits and - _ alone",
				clipped(p))
			return
		}
	}
	def := &condition.Definition{Name: name, Params: items[2].Items(), Body: items[len(items)-1], Text: v.String(),
		Pos: v.Pos(), Source: fileFaults{&d.b.faults, s, "defcondition " + name}}
	if len(items) == 5 {
		def.Doc = items[3].Text()
	}
	d.b.Definitions[name] = def
}

// named sees, once everything is read, that no name means two things, and checks
// the conditions that have one.
func (d *definitions) named() {
	for _, name := range slices.Sorted(maps.Keys(d.b.Definitions)) {
		if def := d.b.Definitions[name]; d.b.Lists[name] != nil {
			def.Source.Fail(def.Pos, nil, "the name %s is taken already, by a deflist at %s", name, d.taken["deflist "+name])
		}
	}
	d.b.CheckDefinitions()
}
