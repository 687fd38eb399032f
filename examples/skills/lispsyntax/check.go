package main

import "fmt"

// scan goes through a text of Lisp and holds what is open. Common Lisp and Emacs Lisp
// are read alike, but for Emacs's characters, such as ?( .
type scan struct {
	text  string
	at    int
	line  int
	emacs bool
	open  []int // the line of each open bracket
}

// check returns what is wrong with a text whose first line has this number, or "".
func check(text string, line int, emacs bool) string {
	s := &scan{text: text, line: line, emacs: emacs}
	for s.at < len(s.text) {
		if fault := s.step(); fault != "" {
			return fault
		}
	}
	if len(s.open) > 0 {
		return fmt.Sprintf("line %d: this bracket is never closed (%d are open at the end)", s.open[len(s.open)-1],
			len(s.open))
	}
	return ""
}

// step takes the next character, and what belongs to it.
func (s *scan) step() string {
	switch c := s.text[s.at]; {
	case c == '(':
		s.open = append(s.open, s.line)
	case c == ')':
		if len(s.open) == 0 {
			return fmt.Sprintf("line %d: a bracket that closes nothing", s.line)
		}
		s.open = s.open[:len(s.open)-1]
	case c == ';':
		for s.at+1 < len(s.text) && s.text[s.at+1] != '\n' {
			s.at++
		}
	case c == '"':
		return s.quoted('"', "a text")
	case c == '|' && !s.emacs:
		return s.quoted('|', "a symbol")
	case c == '\\':
		s.next()
	case c == '#' && s.sees("#|") && !s.emacs:
		return s.comment()
	case c == '#' && s.sees(`#\`), c == '?' && s.emacs && s.begins():
		s.character()
	}
	s.next()
	return ""
}

func (s *scan) sees(text string) bool {
	return len(s.text)-s.at >= len(text) && s.text[s.at:s.at+len(text)] == text
}

// begins reports whether a token may begin here: no name runs on into it.
func (s *scan) begins() bool {
	if s.at == 0 {
		return true
	}
	switch s.text[s.at-1] {
	case ' ', '\t', '\n', '\r', '(', ')', '\'', '`', ',', '[':
		return true
	}
	return false
}

// next goes one byte on.
func (s *scan) next() {
	if s.at < len(s.text) && s.text[s.at] == '\n' {
		s.line++
	}
	s.at++
}

// character goes to the last byte of #\( or of ?( and ?\( .
func (s *scan) character() {
	s.next()
	if s.at < len(s.text) && s.text[s.at] == '\\' {
		s.next()
	}
}

// quoted goes past what ends with a mark; a backslash takes the next byte with it.
func (s *scan) quoted(mark byte, what string) string {
	begin := s.line
	for s.next(); s.at < len(s.text); s.next() {
		switch s.text[s.at] {
		case '\\':
			s.next()
		case mark:
			s.next()
			return ""
		}
	}
	return fmt.Sprintf("line %d: %s that does not end", begin, what)
}

// comment goes past #| and its |#, which nest.
func (s *scan) comment() string {
	begin, depth := s.line, 0
	for s.at < len(s.text) {
		switch {
		case s.sees("#|"):
			depth++
			s.next()
		case s.sees("|#"):
			depth--
			s.next()
		}
		s.next()
		if depth == 0 {
			return ""
		}
	}
	return fmt.Sprintf("line %d: a comment that does not end", begin)
}
