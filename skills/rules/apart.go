package rules

import (
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/origin"
)

// What follows reads parts of the rule language that stand in other files, as
// [Loader.Conditions] does: name and text are such a file, and the error is an [ErrorList].

// Params reads parameters as those of a deftool: (:cmd command :timeout (integer 1 300)).
func Params(name, text string, v sexpr.Value) ([]skills.Param, error) {
	src := &source{path: name, text: text}
	b := newBuilder(nil, Limits{}.orDefaults().Cost)
	params := kinds{&fields{b: b, src: src}}.params(v)
	return params, b.faults.err(rank([]*source{src}))
}

// Form reads a condition in the syntax of text, and returns the form that it means. Its names are
// not looked up: [Loader.Conditions] does that.
func Form(name, text string, v sexpr.Value) (sexpr.Value, error) {
	src := &source{path: name, text: text}
	b := newBuilder(facts.Core(), Limits{}.orDefaults().Cost)
	form, _ := b.Language.Form(fileFaults{&b.faults, src, "a condition"}, v)
	return form, b.faults.err(rank([]*source{src}))
}

// Skill compiles a defskill that stands in no rule file: it knows the tools and functions of l,
// and nothing that rule files define. Questions about origin go by the words that ship.
func (l Loader) Skill(name, text string, form sexpr.Value) (*skills.Skill, error) {
	words := new(origin.Words)
	b := newBuilder(slices.Concat(facts.Core(), origin.Functions(words), l.Functions), l.Limits.orDefaults().Cost)
	src := &source{path: name, text: text}
	d := definitions{b: b}
	d.declare(l.Tools)
	words.Know(nil, l.Tools)
	out, _ := d.skill(src, form)
	if err := b.faults.err(rank([]*source{src})); err != nil {
		return nil, err
	}
	return out, nil
}
