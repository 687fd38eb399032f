package form

import (
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
)

// Read reads a plan file: one or more (defcapability ...), or, if the text begins with { or [, the
// JSON of one or of several manifests. The error joins an *[Error] for everything that is wrong with
// the file, by place; then there is no capability.
func Read(name string, text []byte) ([]*Capability, error) {
	f := &faults{file: name}
	all := f.parse(text)
	if !f.none() {
		return nil, f.err()
	}
	for i, c := range all {
		// What is kept and what was read are one structure: numbers and orders are those of the bytes.
		kept, err := Load(c.canonical)
		if err != nil {
			f.add(c.at, "%s cannot be kept: %s", c.ID, err)
			return nil, f.err()
		}
		all[i] = kept
	}
	return all, nil
}

// parse reads the capabilities of a text, checks and names them.
func (f *faults) parse(text []byte) (all []*Capability) {
	for _, v := range f.forms(text) {
		if c := f.capability(v); c != nil {
			c.check(f)
			all = append(all, c)
		}
	}
	f.together(all)
	for _, c := range all {
		c.compile(f, string(text))
	}
	if !f.none() {
		return nil
	}
	if len(all) == 0 {
		f.add(sexpr.Pos{}, "the file has no capability; write (defcapability id ...)")
	}
	for _, c := range all {
		c.encode(f)
	}
	return all
}

// forms are the definitions of a text, those of JSON turned into plists.
func (f *faults) forms(text []byte) []sexpr.Value {
	r := sexpr.Reader{Limits: sexpr.Limits{Bytes: MaxText}, Code: true}
	trimmed := strings.TrimLeft(string(text), " \t\r\n")
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		all, err := r.ReadAll("", string(text))
		f.syntax(err)
		return all
	}
	v, err := r.FromJSON("", text)
	if err != nil {
		f.syntax(err)
		return nil
	}
	if v.IsObject() {
		return []sexpr.Value{f.manifest(v, string(text))}
	}
	var all []sexpr.Value
	for _, m := range v.Items() {
		all = append(all, f.manifest(m, string(text)))
	}
	return all
}

// syntax takes down why a text cannot be read.
func (f *faults) syntax(err error) {
	var e *sexpr.Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		f.add(e.Pos, "%s", e.Msg)
	default:
		f.add(sexpr.Pos{}, "%s", err)
	}
}

// define is the head of a definition.
const define = "defcapability"

// capabilityMembers are the members of a capability.
var capabilityMembers = []member{
	{"version", "version", true}, {"owner", "text", false}, {"scope", "`:project` or `:org`", false},
	{"roles", "texts", false}, {"doc", "text", false}, {"augment", "text", false}, {"compat", "object", false},
	{"inputs", "names with types", false}, {"required", "names of inputs", false},
	{"outputs", "names with types", false}, {"needs", "object", false}, {"offer", "object", false},
	{"once", "object", false}, {"budget", "object", false}, {"plan", "steps, 1 to 32", true},
	{"result", "names with values", false}, {"gate", "clauses", false}, {"tests", "cases", false},
	{"fuzz", "object", false}, {"rates", "object", false}, {"parsers", "inputs with parsers", false},
	{"provenance", "object", false},
}

// capability reads one definition. It is nil if it is none.
func (f *faults) capability(v sexpr.Value) *Capability {
	items := v.Items()
	if len(items) < 2 || items[0].Kind() != sexpr.Symbol || !items[0].IsSym(define) {
		hint := ""
		if len(items) > 0 {
			hint = spell.DidYouMean(items[0].Text(), []string{define})
		}
		f.add(v.Pos(), "found %s, expected (defcapability id ...)%s", found(v), hint)
		return nil
	}
	id := items[1]
	c := &Capability{ID: id.Text(), at: v.Pos()}
	if id.Kind() != sexpr.Symbol && id.Kind() != sexpr.String || !idShape.MatchString(c.ID) || len(c.ID) > 128 {
		f.add(id.Pos(), "%s cannot be the id of a capability, which has a dot and is made of a-z, 0-9, ., _ and -; "+
			"write %s", found(id), suggestID(clip(c.ID)))
	}
	o := object{faults: f, what: c.ID, at: v.Pos(), has: map[string]sexpr.Value{}}
	o.take(items[2:], capabilityMembers)
	c.head(o)
	c.signature(o)
	c.start(o)
	c.Steps = f.steps(o)
	c.result(o)
	c.tests(o)
	c.learnt(o)
	return c
}

// together checks what capabilities of one file are to each other.
func (f *faults) together(all []*Capability) {
	ids := map[string]bool{}
	for _, c := range all {
		if ids[c.ID] {
			f.add(c.at, "the file defines %s twice; give each version a file of its own", c.ID)
		}
		ids[c.ID] = true
	}
	for _, c := range all {
		for i := range c.Steps {
			for _, tool := range c.Steps[i].tools() {
				if ids[tool] {
					f.add(c.Steps[i].at, "step %s calls the capability %s: capabilities do not call each other; "+
						"write its steps here", c.Steps[i].Name, tool)
				}
			}
		}
	}
}

// tools are what a step calls, and what makes up for it.
func (s *Step) tools() []string {
	if s.Undo == nil {
		return []string{s.Tool}
	}
	return []string{s.Tool, s.Undo.Tool}
}
