package facts

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills"
)

// The bounds of one line. More is an error, never a shorter answer.
const (
	maxLine      = 8 << 10 // bytes
	maxBrackets  = 64      // bracket depth, counted before the parser sees it
	maxCommands  = 64
	maxVia       = 8
	maxOperands  = 64
	maxFlags     = 64
	maxRedirects = 16
	maxNested    = 64       // lines inside lines: eval, sh -c, trap
	maxNestedLen = 64 << 10 // bytes of those together
)

// line is what one command line really runs.
type line struct {
	commands []command
	rest     string // why there may be more commands; "" if these are all
}

// command is one simple command, wrappers peeled off.
type command struct {
	name      word
	args      []word     // what follows the name
	more      string     // why there are further operands that nobody knows; ""
	dirs      []string   // where relative paths start; empty is unknown
	home      bool       // dirs is just facts.env.cwd
	redirects []redirect // of this command
	*around
}

// redirect is one redirection, other than between file descriptors.
type redirect struct {
	op     string
	target word
	dirs   []string // where the shell stands that opens it
}

// opener is the command, standing where the shell stands that opens r for it.
func (c *command) opener(r redirect) *command {
	if slices.Equal(c.dirs, r.dirs) {
		return c
	}
	at := *c
	at.dirs, at.home = r.dirs, false
	return &at
}

// lineMemo is what a case shares for a command line.
type lineMemo struct {
	line   *line
	err    error
	record []any
}

// lineOf parses a command line once per case.
func lineOf(c *skills.Case, text string) *lineMemo {
	key := "shell\x00" + text
	if m, ok := c.Shared(key).(*lineMemo); ok {
		return m
	}
	m := &lineMemo{}
	if m.line, m.err = readLine(text, environment(c)); m.err != nil {
		m.err = fmt.Errorf("this command line cannot be judged: %w", m.err)
	} else {
		m.record, m.err = m.line.records()
	}
	c.Share(key, m)
	return m
}

// readLine reads a line of the plain language: what it says in every shell.
func readLine(text string, e env) (*line, error) {
	r := &reader{env: e}
	at := scope{vars: &vars{known: e.vars}, dirs: e.dirs(), around: &around{}}
	if _, err := r.script(text, at); err != nil {
		return nil, err
	}
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
	if len(text) > maxLine {
		return nil, nil, fmt.Errorf("it has %d bytes, expected at most %d", len(text), maxLine)
	}
	p := &plain{src: text}
	if err := p.text(); err != nil {
		return nil, nil, err
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			if depth++; depth > maxBrackets {
				return nil, nil, fmt.Errorf("its brackets nest deeper than %d", maxBrackets)
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
