// Package condition turns a form, or a text in expr's syntax, into a program that
// answers whether it holds for a case.
//
// The lowerer checks the form against the names of a [Language], types and prices it,
// and emits a tree of expr-lang/expr; a machine runs the program, and reads names
// through the case. Operators that must be checked are functions of package value.
//
// This package is the only importer of expr. Its syntax tree is public but not
// promised to be stable: the version is pinned, and emit.go, machine.go and text.go
// are the only files that touch it.
package condition

import (
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
)

// MaxName bounds the names that rule files give, in bytes.
const MaxName = 128

// Language is what the conditions of one load may name, and compiles them. Tools and
// lists are added before the first condition is compiled.
type Language struct {
	Tools       map[string]*skills.Tool
	Lists       map[string]*List
	Definitions map[string]*Definition
	// Recorded says that the rules were in force once: names that nothing declares are
	// taken as they are, and names that became built in since may be given.
	Recorded bool

	used      map[string]bool // functions that conditions of the rulebook call
	operators map[string]operator
	functions map[string]*facts.Function
	members   map[string]map[string]look.Member
	folded    map[string][]string // the names of tools, by what the reader folds them to
	pool      *machines
	costs     int // the most that a condition may cost
	mu        sync.Mutex
	emit      *emitter // under mu, as a calculator compiles at any time
}

// List is what a deflist defines.
type List struct {
	Name  string
	Items []any
	Text  string // of the definition, for ask keys
}

// New is a language with the operators, what there is to be read of a case, and these
// functions. costs is the most that a condition may take, in steps.
func New(functions []facts.Function, costs int) *Language {
	b := &Language{
		operators: operators(), members: look.Members(), emit: newEmitter(), costs: costs,
		functions: map[string]*facts.Function{}, Tools: map[string]*skills.Tool{}, folded: map[string][]string{},
		used:  map[string]bool{},
		Lists: map[string]*List{}, Definitions: map[string]*Definition{},
		pool: newMachines(map[string]any{}),
	}
	for i := range functions {
		f := &functions[i]
		b.functions[f.Name] = f
		b.emit.register(f.Name, f.Result.Kind == facts.Bool, caller(f))
	}
	return b
}

// Uses reports whether a condition compiled so far calls a function.
func (b *Language) Uses(function string) bool { return b.used[function] }

// AddTool makes a tool known, or another definition of one that is.
func (b *Language) AddTool(t *skills.Tool) {
	if b.Tools[t.Name] == nil {
		f := fold(t.Name)
		b.folded[f] = append(b.folded[f], t.Name)
		b.pool.tools[t.Name] = t.Name
	}
	b.Tools[t.Name] = t
}

// Spellings are the tools whose names differ from name by case alone, or not at all.
func (b *Language) Spellings(name string) []string { return b.folded[fold(name)] }

// MaxCost is the most that a condition may take, in steps.
func (b *Language) MaxCost() int { return b.costs }

// Unfit says why a name cannot be given to something new; "" if it can. Nothing
// that a rule file defines stands in the place of something built in (weakness
// W13).
func (b *Language) Unfit(name string) string {
	_, member := b.members[name]
	_, op := b.operators[name]
	_, fn := b.functions[name]
	switch {
	case name == "":
		return "the name is empty"
	case len(name) > MaxName:
		return "the name is too long"
	case strings.Contains(name, "."):
		return "a name here has no dot: " + name
	case (member || op || fn) && !b.Recorded:
		return "the name " + name + " is built in and cannot be given to anything else"
	}
	switch name {
	case "it", "now", "t", "nil", "false", "null", "{}":
		return "the name " + name + " is built in and cannot be given to anything else"
	}
	return ""
}
