package teach

import (
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// What a scanner finds.
type tokenKind uint8

const (
	aWord tokenKind = iota
	anOpen
	aClose
	aString
)

// scanner goes through a text bracket by bracket and word by word. It takes everything,
// whether a reader would or not.
type scanner struct {
	text string    // what is left
	pos  sexpr.Pos // where that begins

	kind  tokenKind
	token string
	start sexpr.Pos
	first bool // nothing stands before it on its line
}

// next finds the next token; false at the end.
func (s *scanner) next() bool {
	before := s.pos.Line
	begun := s.token != ""
	s.skip()
	if s.text == "" {
		return false
	}
	s.start, s.first = s.pos, !begun || s.pos.Line > before
	n, kind := 1, aWord
	switch s.text[0] {
	case '(':
		kind = anOpen
	case ')':
		kind = aClose
	case '"', '|':
		n = quotedLen(s.text)
		if s.text[0] == '"' {
			kind = aString
		}
	default:
		if n = strings.IndexAny(s.text, "()\"| \t\r\n;"); n < 0 {
			n = len(s.text)
		}
	}
	s.kind, s.token = kind, s.text[:n]
	s.take(n)
	return true
}

// take moves on by n bytes.
func (s *scanner) take(n int) {
	for _, c := range s.text[:n] {
		if c == '\n' {
			s.pos.Line, s.pos.Col = s.pos.Line+1, 0
		}
		s.pos.Col++
	}
	s.text = s.text[n:]
}

// skip passes over white space and comments.
func (s *scanner) skip() {
	for s.text != "" {
		switch {
		case strings.IndexByte(" \t\r\n", s.text[0]) >= 0:
			s.take(1)
		case s.text[0] == ';':
			n := strings.IndexByte(s.text, '\n')
			if n < 0 {
				n = len(s.text)
			}
			s.take(n)
		case strings.HasPrefix(s.text, "#|"):
			s.take(commentLen(s.text))
		default:
			return
		}
	}
}

// commentLen is the length of a block comment, which may hold others.
func commentLen(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "#|":
			depth++
			i++
		case "|#":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}

// quotedLen is the length of what stands in quotes or bars.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// ahead is how the form begins that the token begins: "(defskill a".
func (s *scanner) ahead() string {
	line, _, _ := strings.Cut(s.text, "\n")
	words := strings.Fields(line)
	out := s.token
	for _, w := range words[:min(2, len(words))] {
		if s.kind != anOpen && w != "" {
			break
		}
		if out != "(" {
			out += " "
		}
		i := strings.IndexAny(w, `)"`)
		if i >= 0 {
			out += w[:i]
			break
		}
		out += w
	}
	if utf8.RuneCountInString(out) > 40 {
		out = string([]rune(out)[:40])
	}
	return strings.TrimRight(out, " ")
}

// alone reports that nothing but a comment follows on the line of the token.
func (s *scanner) alone() bool {
	line, _, _ := strings.Cut(s.text, "\n")
	line, _, _ = strings.Cut(line, ";")
	return strings.TrimSpace(line) == ""
}
