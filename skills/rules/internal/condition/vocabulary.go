package condition

import (
	"slices"

	"github.com/opencortex-go/cortex/skills/facts"
)

// Names returns every name that a form may begin with or read, sorted: operators,
// functions, lists, definitions, and what there is to be read of a case.
func (b *Language) Names() []string {
	names := append(keysOf(b.operators), keysOf(b.functions)...)
	names = append(append(append(names, keysOf(b.Lists)...), keysOf(b.Definitions)...), "now")
	for name, below := range b.members {
		names = append(names, name)
		for _, m := range keysOf(below) {
			names = append(names, name+"."+m)
		}
	}
	slices.Sort(names)
	return names
}

// Function describes a function by its name.
func (b *Language) Function(name string) (facts.Function, bool) {
	f := b.functions[name]
	if f == nil {
		return facts.Function{}, false
	}
	return *f, true
}

// Operator describes an operator by its name: how its arguments are written, and
// what it does.
func (b *Language) Operator(name string) (args, doc string, ok bool) {
	o, ok := b.operators[name]
	return o.args, o.doc, ok
}

// Operators returns the names of all operators, sorted.
func (b *Language) Operators() []string { return keysOf(b.operators) }

// List reports whether name is a list that the rule files define, and how many
// elements it has.
func (b *Language) List(name string) (elements int, ok bool) {
	l, ok := b.Lists[name]
	if !ok {
		return 0, false
	}
	return len(l.Items), true
}

// Definition describes a condition that a file defines, by its name.
func (b *Language) Definition(name string) (d *Definition, ok bool) {
	d, ok = b.Definitions[name]
	return d, ok
}

// Members returns what there is to be read below a name, such as principal below
// session, sorted; none if the name is not one of these.
func (b *Language) Members(name string) []string { return keysOf(b.members[name]) }
