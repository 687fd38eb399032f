package sexpr

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is an error in a text or a value, with its place. All errors of this package
// about texts and values are *Error.
type Error struct {
	File       string // as given to the reader; "" if the value was not read from a file
	Pos        Pos    // of the error; zero if the value was not read from text
	Found      string // the text found there, shortened
	Expected   string // what would be right
	Msg        string // both, in words; lower case, no full stop
	Incomplete bool   // more input at the end would complete it
	Err        error  // the cause, or nil
}

// Error prints "file:line:col: msg", without the parts that are not known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteByte(':')
	}
	if e.Pos != (Pos{}) {
		b.WriteString(e.Pos.String())
		b.WriteByte(':')
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fault is an error with an offset instead of a place: lines are counted only for
// errors that are reported.
type fault struct {
	off        int // in the text that was read
	found      string
	expected   string
	incomplete bool
}

// locate turns f into an error at its place in src, which begins at line and
// column base of its file.
func (f *fault) locate(file, src string, base Pos) *Error {
	return &Error{
		File: file, Pos: advance(base, src[:f.off]),
		Found: f.found, Expected: f.expected, Incomplete: f.incomplete,
		Msg: "found " + f.found + ", expected " + f.expected,
	}
}

// valueError is an error about a value, at the place it was read from.
func valueError(v *Value, found, expected string) *Error {
	return &Error{Pos: v.pos, Found: found, Expected: expected, Msg: "found " + found + ", expected " + expected}
}

// advance returns the position after text that begins at p.
func advance(p Pos, text string) Pos {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += int32(strings.Count(text, "\n"))
		p.Col, text = 1, text[i+1:]
	}
	p.Col += int32(utf8.RuneCountInString(text))
	return p
}

// quoted shows a piece of untrusted text in a message: escaped and truncated.
func quoted(s string) string {
	const most = 40
	if len(s) <= most {
		return strconv.Quote(s)
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strconv.Quote(s[:n]) + "..."
}

// count writes a number and its unit: "1 byte", "2 bytes".
func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}
