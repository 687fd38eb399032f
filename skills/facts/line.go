package facts

import (
	"errors"
	"fmt"
	"strings"

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
	via       []string
	wrapper   []word // the wrappers' own words, which may name paths and hosts
}

// redirect is one redirection, other than between file descriptors.
type redirect struct {
	op     string
	target word
}

// lineMemo is what Case.Memo keeps for a command line.
type lineMemo struct {
	line   *line
	err    error
	record []any
}

// lineOf parses a command line once per case.
func lineOf(c *skills.Case, text string) *lineMemo {
	key := "shell\x00" + text
	if m, ok := c.Memo[key].(*lineMemo); ok {
		return m
	}
	m := &lineMemo{}
	if m.line, m.err = readLine(text, environment(c)); m.err != nil {
		m.err = fmt.Errorf("this command line cannot be judged: %w", m.err)
	} else {
		m.record, m.err = m.line.records()
	}
	if c.Memo == nil {
		c.Memo = map[string]any{}
	}
	c.Memo[key] = m
	return m
}

// readLine reads text as bash would read it as the argument of -c.
func readLine(text string, e env) (*line, error) {
	r := &reader{env: e}
	at := scope{vars: &vars{known: e.vars, assigned: map[string]bool{}}, dirs: e.dirs()}
	if _, err := r.script(text, at); err != nil {
		return nil, err
	}
	return &r.line, nil
}

// parse checks the bounds that keep the parser alive, and parses.
func parse(text string) (*syntax.File, error) {
	if len(text) > maxLine {
		return nil, fmt.Errorf("it has %d bytes, expected at most %d", len(text), maxLine)
	}
	if strings.ContainsRune(text, 0) {
		return nil, errors.New("it has a NUL byte")
	}
	if strings.Contains(text, "\r") {
		return nil, errors.New("it has a carriage return, which the shell takes for part of a word; expected plain newlines")
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			if depth++; depth > maxBrackets {
				return nil, fmt.Errorf("its brackets nest deeper than %d", maxBrackets)
			}
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	if continuedComment(text) {
		return nil, errors.New("a line with # in it ends in a backslash; write the comment without one")
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("line %w", err)
	}
	return f, nil
}

// continuedComment reports whether a line that may hold a comment ends in a
// backslash: for bash a comment ends with its line, for our parser it does not.
func continuedComment(text string) bool {
	for rest, more := text, true; more; {
		var l string
		l, rest, more = strings.Cut(rest, "\n")
		if !more || !strings.HasSuffix(l, `\`) {
			continue
		}
		for i := range len(l) {
			if l[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`", l[i-1]) >= 0) {
				return true
			}
		}
	}
	return false
}
