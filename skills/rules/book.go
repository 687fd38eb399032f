package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/origin"
)

// Rulebook is all that a load defined, compiled: a [skills.Policy]. It is
// immutable and safe for concurrent use.
type Rulebook struct {
	hash     sexpr.Digest
	files    []File
	empty    bool
	unknown  skills.Tier
	tools    map[string]*skills.Tool
	sorted   []*skills.Tool
	skills   []defined[*skills.Skill]
	holds    []defined[*invariant]
	defs     *defaults
	gates    int
	models   []*modelRule // in the order in which they are tried
	calc     *Calculator
	warnings ErrorList
	examples []*Example
	words    *origin.Words
	asks     bool // some condition asks about origin

	all      []*skills.Skill            // in order
	byTool   map[string][]*skills.Skill // for tools that some skill names
	anyTool  []*skills.Skill            // for all others
	holdAll  []skills.Gate
	holdBy   map[string][]skills.Gate
	holdRest []skills.Gate
}

var _ skills.Policy = (*Rulebook)(nil)

// File is one file of a rulebook, as it was on disk.
type File struct {
	Root int    // which of the roots of the load it is below
	Path string // slash path, relative to the root
	Data []byte
	// Words says that it is a file of words, which a lexicon names, and no rules.
	Words bool
	OnTop bool // its root is; see [Root]
}

// Hash names the rulebook: its files, byte for byte, the functions that its
// conditions may call and the limits it was loaded with.
func (b *Rulebook) Hash() sexpr.Digest { return b.hash }

// Files returns the files as they were loaded. They must not be changed.
func (b *Rulebook) Files() []File { return b.files }

// Empty reports that nothing is defined that could decide anything, but in roots that
// are [Root.OnTop].
func (b *Rulebook) Empty() bool { return b.empty }

// Warnings are what loads and should be written otherwise, by file and place; none
// if all is well.
func (b *Rulebook) Warnings() []*Error { return b.warnings }

// Skills returns the skills that may apply to an action on tool, in order, or
// all of them for "".
func (b *Rulebook) Skills(tool string) []*skills.Skill {
	if tool == "" {
		return b.all
	}
	if s, ok := b.byTool[tool]; ok {
		return s
	}
	return b.anyTool
}

// Len is how many clauses all skills have.
func (b *Rulebook) Len() int { return b.gates }

// Invariants returns the invariants that may bear on an action on tool, by
// name; all of them for "".
func (b *Rulebook) Invariants(tool string) []skills.Gate {
	if tool == "" {
		return b.holdAll
	}
	if g, ok := b.holdBy[tool]; ok {
		return g
	}
	return b.holdRest
}

// Tool finds a declared tool by its exact name.
func (b *Rulebook) Tool(name string) (*skills.Tool, bool) {
	t, ok := b.tools[name]
	return t, ok
}

// Tools returns every declared tool, sorted by name.
func (b *Rulebook) Tools() []*skills.Tool { return b.sorted }

// UnknownTool says what happens to an undeclared tool.
func (b *Rulebook) UnknownTool() skills.Tier { return b.unknown }

// book compiles what the files define. It is of use only if nothing was wrong.
func (d *definitions) book() *Rulebook {
	d.named()
	book := &Rulebook{tools: d.b.Tools, defs: d.defaults, empty: !d.any}
	for _, f := range d.skills {
		if s, ok := d.skill(f.src, f.v); ok {
			book.skills = append(book.skills, defined[*skills.Skill]{f.src, s})
		}
	}
	for _, f := range d.holds {
		if i, ok := d.invariant(f.src, f.v); ok {
			book.holds = append(book.holds, defined[*invariant]{f.src, i})
		}
	}
	book.models = d.modelRules()
	book.index()
	return book
}

// index orders everything, and finds out what bears on which tool.
func (b *Rulebook) index() {
	if b.defs != nil {
		b.unknown = b.defs.unknown
	}
	b.sorted = slices.SortedFunc(maps.Values(b.tools), byName)
	for _, s := range b.skills {
		b.all = append(b.all, s.what)
		b.gates += len(s.what.Gates)
	}
	skills.Sort(b.all)
	b.byTool, b.anyTool = byTool(b.all, func(s *skills.Skill) []string { return s.Tools })
	slices.SortFunc(b.holds, func(x, y defined[*invariant]) int { return cmp.Compare(x.what.id, y.what.id) })
	on := map[skills.Gate][]string{}
	for _, i := range b.holds {
		b.holdAll = append(b.holdAll, i.what)
		on[i.what] = i.what.on
	}
	b.holdBy, b.holdRest = byTool(b.holdAll, func(g skills.Gate) []string { return on[g] })
}

func byName(x, y *skills.Tool) int { return cmp.Compare(x.Name, y.Name) }

// byTool sorts rules under the tools they name, each with those that name none,
// in the order of all. rest is for tools that nobody names.
func byTool[T any](all []T, tools func(T) []string) (by map[string][]T, rest []T) {
	by = map[string][]T{}
	for i, r := range all {
		names := tools(r)
		if names == nil {
			rest = append(rest, r)
			for t := range by {
				by[t] = append(by[t], r)
			}
			continue
		}
		for _, t := range slices.Compact(slices.Sorted(slices.Values(names))) {
			if _, ok := by[t]; !ok {
				by[t] = slices.Clone(rest)
			}
			by[t] = append(by[t], all[i])
		}
	}
	return by, rest
}

// only is the part of the book that some files define.
func (b *Rulebook) only(files map[*source]bool, tools []defined[*skills.Tool]) *Rulebook {
	out := &Rulebook{hash: b.hash, tools: map[string]*skills.Tool{}, empty: b.empty, calc: b.calc}
	for name, t := range b.tools {
		out.tools[name] = t
	}
	for _, t := range tools {
		if !files[t.src] {
			delete(out.tools, t.what.Name)
		}
	}
	for _, s := range b.skills {
		if files[s.src] {
			out.skills = append(out.skills, s)
		}
	}
	for _, i := range b.holds {
		if files[i.src] {
			out.holds = append(out.holds, i)
		}
	}
	if b.defs != nil && files[b.defs.at.src] {
		out.defs = b.defs
	}
	out.index()
	return out
}
