package facts

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/zone"
)

// Version names the set of functions and what they mean. It is part of the
// policy hash: a change that could flip a decision changes it. The release of the
// time zone database is part of it.
const Version = "facts/5 tz/" + zone.Version

// Function is one look-up that conditions may call.
type Function struct {
	Name   string // as forms spell it: "under?"
	Doc    string // what it answers, in one or two sentences
	Params []Param
	// Optional is how many of the last parameters may be left out.
	Optional int
	Result   Type
	// Cost is what one call adds to a clause's static cost, and PerItem what
	// each element of its list arguments adds to that.
	Cost, PerItem int
	// Call answers for the case. args fit Params: package rules has checked
	// them, never passes Unknown, and passes a Pattern only where the parameter
	// takes one. Elements and fields of args may be Unknown all the same. The
	// result may be Unknown. An error counts against the action; its text may
	// be shown to the model and says what could not be judged.
	Call func(c *skills.Case, args []any) (any, error)
}

// Param is one parameter of a function.
type Param struct {
	Name string
	Type Type
	// Words, if set, are the only strings allowed, written as literals or
	// keywords.
	Words []string
	// Names says what a string names that rules or tools declare; a literal that
	// names nothing is an error at load.
	Names Named
	// Literal asks for a value that is known when rules are loaded: a literal,
	// or a list that deflist names.
	Literal bool
	// Pattern says that the parameter takes a [Pattern] as it is.
	Pattern bool
	// Check, if set, is asked at load about a value that is known then.
	Check func(v any) error
	// Prepare, if set, makes of a value that is known at load, once, what Call is
	// handed in its stead, such as a list of patterns that are compiled. Callers
	// that have no such time hand over the value itself.
	Prepare func(v any) any
}

// Named is what a parameter names.
type Named uint8

// What a parameter may name: nothing in particular, a tool, or a budget that a
// tool spends from.
const (
	Anything Named = iota
	ATool
	ABudget
)

// Kind is the sort of a parameter, result or field.
type Kind uint8

// The kinds. Number is an integer or a float. String may turn out as a [Word],
// a [Pattern] or [Unknown] when it is read. Action is the word action itself.
const (
	Any Kind = iota
	Bool
	Int
	Number
	String
	List
	Record
	Action
)

// String names the kind as load errors do.
func (k Kind) String() string {
	names := [...]string{"anything", "boolean", "integer", "number", "string", "list", "record", "action"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown kind"
}

// Type is the type of a value that a function takes or gives.
type Type struct {
	Kind Kind
	Name string // of a Record, for messages: "command"
	Elem *Type  // of a List; nil means anything
	Max  int    // of a List: no more elements than this; 0 means 256
	// Words, if set, are the only texts that a String may be: to compare it with another
	// is an error at load.
	Words  []string
	Fields []Field // of a Record; a record without fields is any object
}

// Field is one field of a record. At run time a record is a map[string]any that
// has every field.
type Field struct {
	Name string
	Doc  string
	Type Type
}

// ListOf returns the type of lists of up to limit elements.
func ListOf(elem Type, limit int) Type { return Type{Kind: List, Elem: &elem, Max: limit} }

// Field finds a field of a record type.
func (t Type) Field(name string) (Field, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return t.Fields[i], true
}

// String spells the type as documentation does: "list of command".
func (t Type) String() string {
	switch {
	case t.Kind == List && t.Elem != nil:
		return "list of " + t.Elem.String()
	case t.Kind == Record && t.Name != "":
		return t.Name
	}
	return t.Kind.String()
}

// Signature spells how the function is called: "(under? path root)".
func (f *Function) Signature() string {
	var b strings.Builder
	b.WriteString("(" + f.Name)
	for i, p := range f.Params {
		if i >= len(f.Params)-f.Optional {
			b.WriteString(" [" + p.Name + "]")
		} else {
			b.WriteString(" " + p.Name)
		}
	}
	b.WriteString(")")
	return b.String()
}
