// Package shell reads a command line as a shell would run it, and tells the simple
// commands in it: their words, as far as the text tells them, where they stand, and
// what stands around them.
//
// It reads the plain language alone, which five shells read alike ([Plain] lists
// it); any other line is [Unreadable]. What only the running shell could tell, such
// as $X, is a word that is not known, and where a line may run more than is listed,
// the line says why. Nothing is taken from this process or its disk.
package shell

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of one line. More is an error, never a shorter answer.
const (
	MaxLine      = 8 << 10  // bytes
	MaxBrackets  = 64       // bracket depth, counted before the parser sees it
	MaxCommands  = 64       // commands that it runs
	MaxVia       = 8        // wrappers around one
	MaxRedirects = 16       // redirections of one
	maxNested    = 64       // lines inside lines: eval, sh -c, trap
	maxNestedLen = 64 << 10 // bytes of those together
)

// Line is what one command line really runs.
type Line struct {
	Commands []Command
	Rest     string // why there may be more commands; "" if these are all
}

// Command is one simple command, wrappers peeled off.
type Command struct {
	Name      Word
	Args      []Word   // what follows the name
	More      string   // why there are further operands that nobody knows; ""
	Dirs      []string // where relative paths start; empty is unknown
	Home      bool     // Dirs is just facts.env.cwd
	Redirects []Redirect
	moved     []move // by the earlier commands of the line
	*around
}

// Bare is a command with nothing around it, of which it is not known where it runs.
func Bare(name Word, args []Word) *Command {
	return &Command{Name: name, Args: args, around: &around{}}
}

// Redirect is one redirection, other than between file descriptors.
type Redirect struct {
	Op     string   // ">>"
	Target Word     // the file, or the text of a here-document
	dirs   []string // where the shell stands that opens it
}

// Opener is the command, standing where the shell stands that opens r for it.
func (c *Command) Opener(r Redirect) *Command {
	if slices.Equal(c.Dirs, r.dirs) {
		return c
	}
	at := *c
	at.Dirs, at.Home = r.dirs, false
	return &at
}

// Read reads a line of the plain language: what it says in every shell. The error
// of any other line is [Unreadable], or says which bound it exceeds.
func Read(text string, e Env) (*Line, error) {
	r := &reader{env: e}
	at := scope{vars: &vars{known: e.Vars}, dirs: e.Dirs(), around: &around{}}
	if _, err := r.script(text, at); err != nil {
		return nil, err
	}
	r.line.moves()
	return &r.line, nil
}

// parsers are used again, since one is half of what reading a short line allocates.
// A parser forgets its last text before it reads the next, but for how deep it was in
// constructs of bash alone: only one that has read a plain line is kept.
var parsers = sync.Pool{New: func() any {
	return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
}}

// parse checks the bounds that keep the parser alive, parses, and holds the tree
// against the list of the plain language.
func parse(text string) (*syntax.File, *plain, error) {
	if len(text) > MaxLine {
		return nil, nil, fmt.Errorf("it has %d bytes, expected at most %d", len(text), MaxLine)
	}
	p := &plain{src: text}
	if err := p.text(); err != nil {
		return nil, nil, err
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			if depth++; depth > MaxBrackets {
				return nil, nil, fmt.Errorf("its brackets nest deeper than %d", MaxBrackets)
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	parser, _ := parsers.Get().(*syntax.Parser)
	f, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, nil, fmt.Errorf("line %w", err)
	}
	if err := p.stmts(f.Stmts, f.Last); err != nil {
		return nil, nil, err
	}
	parsers.Put(parser)
	return f, p, nil
}
