// Package slotted reads command lines with slots, and puts values into them: the words of the line
// stay what they are, with the values in their places.
package slotted

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// Slot is a place in a command line that a value takes: the bytes from Start, End not included.
type Slot struct{ Start, End int }

// Error says why a slot cannot stand where it does, or a value cannot stand in it.
type Error struct {
	Slot int    // index of the slot
	Why  string // "stands inside quotes; ...", or "begins with -"
}

// Error is Why alone: the caller knows what the slot is called.
func (e *Error) Error() string { return e.Why }

// Line is a command line with slots. It is immutable.
type Line struct {
	text  string
	slots []Slot
	whole []bool // of each slot: it is a whole word
	nodes []Slot // where the parts of the line begin and end, as long as the slots are in it
}

// Read reads a line of the plain language whose slots are at least five bytes long, in
// order. A slot is a word that is not known, or a part of one, outside quotes. The error is a
// [Error] where a slot stands elsewhere, or names a command. A line in which a word that is
// not known may do more than stand there is an error too: eval, unset, printf %d.
func Read(text string, slots []Slot) (*Line, error) {
	s := &Line{text: text, slots: slots, whole: make([]bool, len(slots))}
	c, err := s.unused()
	if err != nil {
		return nil, err
	}
	f, err := parseShort(s.with(func(n int) string { return strings.Repeat(c, n) }))
	if err != nil {
		return nil, err
	}
	s.nodes = nodes(f)
	for i, why := range s.place(f) {
		if why != "" {
			return nil, &Error{i, "stands " + why}
		}
	}
	variable := func(n int) string { return "$" + strings.Repeat(c, n-3) }
	line, err := shell.Read(s.with(func(n int) string { return `"` + variable(n) + `"` }), shell.Env{})
	if err != nil {
		return nil, s.asWritten(err)
	}
	for i, slot := range slots {
		if strings.HasSuffix(line.Rest, "whose name is the value of "+variable(slot.End-slot.Start)) {
			return nil, &Error{i, "stands " + asCommand}
		}
	}
	if line.Rest != "" {
		return nil, fmt.Errorf("nothing tells %s, so that a value might be run: "+
			"put that into a script, and call it with the slots as its arguments", line.Rest)
	}
	return s, nil
}

// unused is a letter that occurs nowhere in the text twice in a row: variables of it are free.
func (s *Line) unused() (string, error) {
	for c := 'a'; c <= 'z'; c++ {
		if !strings.Contains(s.text, strings.Repeat(string(c), 2)) {
			return string(c), nil
		}
	}
	return "", errors.New("each letter stands in it twice in a row, so that no name is free for a slot")
}

// with is the text with something in each slot that is as long as the slot.
func (s *Line) with(in func(n int) string) string {
	text, _ := s.put(func(i int) string { return in(s.slots[i].End - s.slots[i].Start) })
	return text
}

// put is the text with something in each slot, and where that is.
func (s *Line) put(in func(i int) string) (string, []Slot) {
	var b strings.Builder
	at, places := 0, make([]Slot, len(s.slots))
	for i, slot := range s.slots {
		b.WriteString(s.text[at:slot.Start])
		start := b.Len()
		b.WriteString(in(i))
		places[i], at = Slot{start, b.Len()}, slot.End
	}
	b.WriteString(s.text[at:])
	return b.String(), places
}

// asWritten has an error quote the text with its slots: what was parsed is as long.
func (s *Line) asWritten(err error) error {
	var u *shell.Unreadable
	if !errors.As(err, &u) {
		return err
	}
	lines := strings.SplitAfter(s.text, "\n")
	quoted := strings.Join(lines[min(u.Line-1, len(lines)):], "")
	quoted = quoted[min(u.Col-1, len(quoted)):]
	written := *u
	written.Found = quoted[:min(len(u.Found), len(quoted))]
	return &written
}

const (
	asCommand = "as the name of a command: write the command out"
	inQuotes  = "inside quotes: leave them out, a value that is a whole word is quoted as it needs"
	inExpand  = "in an expansion: take the result of an earlier step"
	inHere    = "in a here-document: write a file in an earlier step"
	inEscape  = "behind a backslash: leave it out"
	inNothing = "where no word stands"
)

// place finds the slots in the tree, and says of each what is wrong with its place, "" if nothing
// is. What a variable keeps need not be a whole word: where it is used, a shell may split it and look for
// files.
func (s *Line) place(f *syntax.File) []string {
	why := make([]string, len(s.slots))
	for i := range why {
		why[i] = inNothing
	}
	bad, kept := map[*syntax.Word]string{}, map[*syntax.Word]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				bad[n.Args[0]] = asCommand
			}
			keeps := sets(n.Args)
			for _, w := range n.Args {
				kept[w] = keeps
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				kept[w] = true
			}
		case *syntax.Assign:
			kept[n.Value] = true
		case *syntax.Redirect:
			if n.Hdoc != nil {
				bad[n.Hdoc], bad[n.Word] = inHere, inHere
			}
		case *syntax.Word:
			for i := range s.slots {
				if !within(s.slots[i], n) {
					continue
				}
				if why[i] = bad[n]; why[i] == "" {
					why[i] = s.inWord(i, n)
				}
				s.whole[i] = span(n) == s.slots[i] && !kept[n]
			}
			return false
		}
		return true
	})
	return why
}

// sets reports whether a call may be the shell's own set, which keeps its words as $1 and so on. A
// program's argument of that name keeps nothing: az config set.
func sets(args []*syntax.Word) bool {
	for _, w := range args {
		name := strings.TrimPrefix(w.Lit(), "\\")
		switch name {
		case "set", "": // a name in quotes may be any
			return true
		case "command", "builtin", "exec", "noglob", "nocorrect": // shells run their own behind these
		default:
			if name[0] != '-' {
				return false
			}
		}
	}
	return false
}

func (s *Line) inWord(i int, w *syntax.Word) string {
	if at := s.slots[i].Start; at > 0 && s.text[at-1] == '\\' {
		return inEscape
	}
	for _, part := range w.Parts {
		if !within(s.slots[i], part) {
			continue
		}
		switch part.(type) {
		case *syntax.Lit:
			return ""
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return inQuotes
		}
		return inExpand
	}
	return inNothing
}

// parseShort parses a line that is no longer than one that rules read. The parser recurses, so that
// its depth is bounded by how many brackets there are.
func parseShort(line string) (*syntax.File, error) {
	if len(line) > shell.MaxLine {
		return nil, fmt.Errorf("it has %d bytes, expected at most %d", len(line), shell.MaxLine)
	}
	brackets := strings.Count(line, "(") + strings.Count(line, "{") + strings.Count(line, "[")
	if brackets > maxBrackets {
		return nil, fmt.Errorf("it has %d opening brackets, expected at most %d", brackets, maxBrackets)
	}
	return parse(line)
}

const maxBrackets = 1000

// parse reads a line as bash does.
func parse(line string) (*syntax.File, error) {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	return p.Parse(strings.NewReader(line), "")
}

// span is where a node stands.
func span(n syntax.Node) Slot { return Slot{int(n.Pos().Offset()), int(n.End().Offset())} }

func within(slot Slot, n syntax.Node) bool {
	at := span(n)
	return at.Start <= slot.Start && slot.End <= at.End
}

// nodes are where all parts of a line begin and end, down to its words, in one order.
func nodes(f *syntax.File) (all []Slot) {
	syntax.Walk(f, func(n syntax.Node) bool {
		if n != nil {
			all = append(all, span(n))
		}
		_, word := n.(*syntax.Word)
		return !word
	})
	return all
}
