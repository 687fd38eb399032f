package facts

import (
	"regexp"
	"slices"
)

// Forms is a list of command forms made ready when rules are loaded: what fits?
// holds commands against. It is immutable and safe for concurrent use.
type Forms struct{ byName map[string][]*form }

// form is one way of writing a command, as a manual's synopsis gives it.
type form struct {
	steps    []formStep // program and subcommands; options stand behind the word they follow
	operands []formOperand
	behind   []formOperand // what stands behind --, if the form says so
	whole    bool          // options are whole words behind one dash, as those of go and find
}

// formStep is one fixed word of a form, and the options that may stand behind it.
type formStep struct {
	words   []string // its spellings
	options map[string]formOption
	number  bool // -20 is one
}

// formOption says what values follow an option.
type formOption struct {
	values   []*wordKind
	optional bool // its value can only be joined: --color=always, -uno
}

// formOperand is a place for words that are no options.
type formOperand struct {
	kind     *wordKind
	optional bool
	many     bool
}

// wordKind is what a word may be. Eight kinds are built in.
type wordKind struct {
	name string
	is   *regexp.Regexp // the whole word matches it
	not  *regexp.Regexp // no part of it matches this

	file  bool // it is a path at or below the root
	glob  bool // a pattern may begin it
	named bool // and it is not whatever lies in the root
	below bool // nor the root

	sought func(m *match, text string) // refuses a search that is after a file to avoid; nil if it is none
}

// The kinds that no line defines.
var (
	kindText = &wordKind{name: "TEXT"}             // any one word
	kindFile = &wordKind{name: "FILE", file: true} // a path at or below the root
	// the same, also *.go, which may match a file named -x
	kindGlob = &wordKind{name: "GLOB", file: true, glob: true}
	// FILE, but not whatever lies in the root
	kindPlace = &wordKind{name: "PLACE", file: true, named: true}
	// GLOB, but neither that nor the root
	kindBelow = &wordKind{name: "BELOW", file: true, glob: true, named: true, below: true}
	// a pattern of names to search for, that is after no file to avoid
	kindNames = &wordKind{name: "NAMES", sought: (*match).names}
	// the same as a regular expression, for a part of a path
	kindRegexp = &wordKind{name: "REGEXP", sought: (*match).regexp}
	// whatever there is, options too, known or not
	kindAny = &wordKind{name: "ANY"}
)

// builtinKinds are the kinds above by their names.
func builtinKinds() map[string]*wordKind {
	out := map[string]*wordKind{}
	for _, k := range []*wordKind{kindText, kindFile, kindGlob, kindPlace, kindBelow, kindNames, kindRegexp, kindAny} {
		out[k.name] = k
	}
	return out
}

func (s *formStep) is(text string) bool { return slices.Contains(s.words, text) }
