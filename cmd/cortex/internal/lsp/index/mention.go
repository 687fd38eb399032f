package index

import (
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/sexpr/syntax"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Kind is what a [Name] names.
type Kind uint8

// The kinds of names that rule files give.
const (
	Tool Kind = iota
	Param
	Budget
	List
	Skill
	Clause
	Invariant
	Models
	Condition
	Local // given by let, or an argument of a defcondition
	Included
)

// String names the kind as people do.
func (k Kind) String() string {
	return [...]string{"tool", "parameter", "budget", "list", "skill", "clause", "invariant", "model rule", "condition",
		"local name", "file"}[k]
}

// Name is a name with what tells it from others like it.
type Name struct {
	Kind Kind
	Name string
	// Of is the tool of a Param, or "" where the file does not tell which, the skill of
	// a Clause, and the place of a Local's scope.
	Of string
}

// Matches reports whether two names may be the same thing.
func (n Name) Matches(m Name) bool {
	return n.Kind == m.Kind && n.Name == m.Name && (n.Of == m.Of || n.Kind == Param && (n.Of == "" || m.Of == ""))
}

// Form is how a name is spelled at a place.
type Form uint8

// The forms of a name: in a symbol or a part of one between dots, in a keyword with its
// colon, or in a string without its quotes.
const (
	InSymbol Form = iota
	InKeyword
	InString
)

// Mention is a place of a text that names something: the bytes from From up to To.
type Mention struct {
	Name
	From, To int
	Form     Form
	// Defines says that the name is given here; Whole is then the form that does it.
	Defines bool
	Whole   *syntax.Node
}

// Spell returns a name as it is written in the place of this mention.
func (m Mention) Spell(name string) (string, error) {
	switch m.Form {
	case InKeyword:
		return sexpr.Print(sexpr.Key(name))
	case InString:
		text, err := sexpr.Print(sexpr.Str(name))
		if err != nil {
			return "", err
		}
		return text[1 : len(text)-1], nil
	case InSymbol:
	}
	return sexpr.Print(sexpr.Sym(name))
}

// File is a rule file and the names in it, in the order of their places.
type File struct {
	Src      string
	Root     *syntax.Node
	Mentions []Mention
}

// Language tells which functions there are: see [rules.Calculator].
type Language interface {
	Function(name string) (facts.Function, bool)
	Operator(name string) (args, doc string, ok bool)
	Members(name string) []string
}

// At returns the mention at a place, if there is one.
func (f *File) At(off int) (Mention, bool) {
	var found Mention
	ok := false
	for _, m := range f.Mentions {
		if m.From <= off && off <= m.To && (!ok || m.To-m.From < found.To-found.From) {
			found, ok = m, true
		}
	}
	return found, ok
}

// Defined returns what the file defines of a kind, in order.
func (f *File) Defined(kind Kind) []Mention {
	var out []Mention
	for _, m := range f.Mentions {
		if m.Defines && m.Kind == kind {
			out = append(out, m)
		}
	}
	return out
}

// Includes returns the paths that the file includes, as they are written.
func (f *File) Includes() []Mention {
	var out []Mention
	for _, m := range f.Mentions {
		if m.Kind == Included {
			out = append(out, m)
		}
	}
	return out
}
