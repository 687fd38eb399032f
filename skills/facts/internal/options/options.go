// Package options is the table of the options that network and package programs
// take, and of what their values are. It is made by internal/optiontables from
// the programs' own help and from reviews of it; see docs/option-tables.md.
package options

import (
	"slices"
	"sort"
	"strings"
)

// Style is how a program reads words that begin with a dash.
type Style uint8

// The styles.
const (
	GNU  Style = iota // -abc is -a -b -c; --name, and beginnings that fit one name
	Dash              // -name and --name are the same, and nothing is bundled
	Nopt              // npm's: GNU, and -name where it is not a bundle
)

// Arity is whether an option takes a value.
type Arity uint8

// The arities.
const (
	None  Arity = iota
	Maybe       // attached; some programs take the next word too
	Needs       // attached, or the next word
)

// Kind is what a value or an operand is.
type Kind uint8

// The kinds.
const (
	Plain    Kind = iota // no host and no path
	Host                 // hosts or URLs, between commas
	Place                // [user@]host[:path]
	Remote               // [user@]host:path, a URL, or a path
	Image                // a container image, whose first part may be a registry
	Package              // an npm package, which may be fetched from anywhere
	Module               // a Go package or module, whose first part is a host
	Path                 // a file or folder
	Data                 // text, or @file
	Dsn                  // a database: its name, or what tells the server too
	Opaque               // hosts may hide in it
	List                 // a file that may name hosts
	Hides                // a program or a configuration: hosts and paths may hide in it
	Setting              // NAME=VALUE of the program's configuration
	Variable             // NAME=VALUE of an environment
	Address              // socat's
	Looks                // a host if it looks like one
	Listens              // a flag: operands are the program's own addresses
	Rest                 // words for another computer; the options end here
	Command              // a command and its words; the options end here
	Ends                 // a flag: everything behind it is for something else
)

// Option is one spelling of an option, without dashes.
type Option struct {
	Name  string
	Takes Arity
	Value Kind
}

// Section is a program without subcommands, or one of its subcommands.
type Section struct {
	Name     string // "git clone"
	Posix    bool   // options end at the first operand
	Again    bool   // options go on behind an operand even after --
	Inherits bool   // the program's own options count here, too
	Operands []Kind // by position; the last is for all that follow
	Short    []Option
	Long     []Option
}

// Program is a program whose options are known.
type Program struct {
	Name, Version string
	Style         Style
	Local         []string // subcommands that name no host, whatever their options
	Sections      []Section
}

// Find returns the program of this name, or nil.
func Find(name string) *Program {
	i := sort.Search(len(programs), func(i int) bool { return programs[i].Name >= name })
	if i == len(programs) || programs[i].Name != name {
		return nil
	}
	return &programs[i]
}

// Names lists the programs in the table.
func Names() []string {
	out := make([]string, len(programs))
	for i, p := range programs {
		out[i] = p.Name
	}
	return out
}

// Section returns the section of this name, or nil.
func (p *Program) Section(name string) *Section {
	i := sort.Search(len(p.Sections), func(i int) bool { return p.Sections[i].Name >= name })
	if i == len(p.Sections) || p.Sections[i].Name != name {
		return nil
	}
	return &p.Sections[i]
}

// Sub returns the section of a subcommand of s, or nil.
func (p *Program) Sub(s *Section, word string) *Section {
	for i := range p.Sections {
		n := p.Sections[i].Name
		if len(n) == len(s.Name)+1+len(word) && n[len(s.Name)] == ' ' && n[:len(s.Name)] == s.Name &&
			n[len(s.Name)+1:] == word {
			return &p.Sections[i]
		}
	}
	return nil
}

// IsLocal reports whether a subcommand names no host.
func (p *Program) IsLocal(word string) bool {
	_, ok := slices.BinarySearch(p.Local, word)
	return ok
}

// Long returns the option of s with this name, or whose name alone begins so.
func (p *Program) Long(s *Section, name string) (Option, bool) {
	o, fits := long(s.Long, name, p.Style != Dash)
	if s.Inherits && !(fits == 1 && o.Name == name) {
		own, more := long(p.Section(p.Name).Long, name, p.Style != Dash)
		if fits += more; more == 1 && (fits == 1 || own.Name == name) {
			return own, true
		}
	}
	return o, fits == 1
}

// long finds a name in a sorted list, and says how many fit.
func long(list []Option, name string, begins bool) (Option, int) {
	i, ok := find(list, name)
	switch {
	case ok:
		return list[i], 1
	case !begins || name == "":
		return Option{}, 0
	}
	n := 0
	for i+n < len(list) && strings.HasPrefix(list[i+n].Name, name) {
		n++
	}
	if n == 0 {
		return Option{}, 0
	}
	return list[i], n
}

// Exact returns the long option of s with exactly this name.
func (p *Program) Exact(s *Section, name string) (Option, bool) {
	o, ok := p.Long(s, name)
	return o, ok && o.Name == name
}

// Short returns the option of s with this letter.
func (p *Program) Short(s *Section, letter string) (Option, bool) {
	if i, ok := find(s.Short, letter); ok {
		return s.Short[i], true
	}
	if s.Inherits {
		own := p.Section(p.Name).Short
		if i, ok := find(own, letter); ok {
			return own[i], true
		}
	}
	return Option{}, false
}

func find(list []Option, name string) (int, bool) {
	return slices.BinarySearchFunc(list, name, func(o Option, n string) int { return strings.Compare(o.Name, n) })
}

// Operand returns what stands at a position among the operands of s.
func (s *Section) Operand(i int) Kind {
	if len(s.Operands) == 0 {
		return Plain
	}
	return s.Operands[min(i, len(s.Operands)-1)]
}
