package sexpr

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"
)

// formLexer splits a text into top-level forms. It enforces every limit and finds
// every structural error, so that the builder can rely on both.
type formLexer struct {
	file   string
	src    string
	limits Limits
	code   bool
	single bool // one form, and nothing after it

	off    int
	first  span // of the first form
	atoms  int
	lists  int
	nested []byte // open '(' and '\''
	known  int    // an offset whose position is pos
	pos    Pos
}

func newFormLexer(file, src string, limits Limits, code bool) *formLexer {
	return &formLexer{file: file, src: src, limits: limits, code: code, pos: start}
}

// Next implements participle's Lexer.
func (l *formLexer) Next() (lexer.Token, error) {
	end, fault := skipBlanks(l.src, l.off)
	l.off = end
	begin := l.position(l.off)
	if fault == nil && l.off == len(l.src) {
		return lexer.EOFToken(begin), nil
	}
	from := l.off
	switch {
	case fault != nil:
	case l.single && l.first.to > 0 && startsDatum(l.src[from], l.code):
		fault = l.secondDatum()
	default:
		fault = l.form()
		if l.first.to == 0 {
			l.first = span{from, l.off}
		}
	}
	if fault == nil {
		return lexer.Token{Type: formToken, Value: l.src[from:l.off], Pos: begin}, nil
	}
	if fault.incomplete {
		// Further input cannot fix an error before the end.
		if _, earlier := build(l.src[from:], l.pos); earlier != nil && !earlier.incomplete {
			fault = earlier
			fault.off += from
		}
	}
	return lexer.Token{}, fault.locate(l.file, l.src, start)
}

// secondDatum is the error for data after the first datum, if that datum is valid.
func (l *formLexer) secondDatum() *fault {
	if _, f := build(l.src[l.first.from:l.first.to], start); f != nil {
		f.off += l.first.from
		return f
	}
	return &fault{off: l.off, found: "more after the datum", expected: "one datum and nothing else"}
}

func startsDatum(c byte, code bool) bool {
	return classes[c]&atom != 0 || c == '(' || c == '"' || c == '|' || c == '\'' && code
}

// position returns where off is; offsets must come in rising order.
func (l *formLexer) position(off int) lexer.Position {
	l.pos = advance(l.pos, l.src[l.known:off])
	l.known = off
	return lexer.Position{Filename: l.file, Offset: off, Line: int(l.pos.Line), Column: int(l.pos.Col)}
}

// form moves over one datum.
func (l *formLexer) form() *fault {
	src := l.src
	l.nested = l.nested[:0]
	for {
		end, fault := skipBlanks(src, l.off)
		l.off = end
		if fault != nil {
			return fault
		}
		if l.off == len(src) {
			return l.unclosed()
		}
		done := false // one datum inside the innermost open list or quote
		switch c := src[l.off]; {
		case c == '(':
			fault = l.open(c)
		case c == '\'' && l.code:
			fault = l.open(c)
		case c == ')':
			done, fault = true, l.close()
		case c == '"':
			done, fault = true, l.text(l.off+1, '"')
		case classes[c]&atom != 0 || c == '|':
			done, fault = true, l.atom()
		default:
			fault = unexpected(src, l.off)
		}
		if fault != nil {
			return fault
		}
		for done && len(l.nested) > 0 && l.nested[len(l.nested)-1] == '\'' {
			l.nested = l.nested[:len(l.nested)-1]
		}
		if done && len(l.nested) == 0 {
			return nil
		}
	}
}

func (l *formLexer) open(c byte) *fault {
	if len(l.nested) == l.limits.Depth {
		return tooNested(l.off, l.limits.Depth)
	}
	if l.lists++; l.lists > l.limits.Atoms {
		return &fault{off: l.off, found: "one list more", expected: "at most " + count(l.limits.Atoms, "list")}
	}
	l.nested = append(l.nested, c)
	l.off++
	return nil
}

func (l *formLexer) close() *fault {
	n := len(l.nested)
	if n == 0 || l.nested[n-1] != '(' {
		return &fault{off: l.off, found: "')'", expected: "a datum"}
	}
	l.nested = l.nested[:n-1]
	l.off++
	return nil
}

func (l *formLexer) unclosed() *fault {
	parens := 0
	for _, c := range l.nested {
		if c == '(' {
			parens++
		}
	}
	expected := "a datum after the quote"
	if parens > 0 {
		expected = "')' " + strconv.Itoa(parens) + " times more"
		if parens == 1 {
			expected = "one more ')'"
		}
	}
	return &fault{off: l.off, found: "the end of the text", expected: expected, incomplete: true}
}

// text moves over the rest of a string or bars that begins at from.
func (l *formLexer) text(from int, end byte) *fault {
	stop := endOfText(l.src, from, end)
	if stop < 0 {
		return unclosedText(l.src, end)
	}
	if stop-from > l.limits.String && decodedLen(l.src[from:stop]) > l.limits.String {
		return l.textTooLong(l.off, decodedLen(l.src[from:stop]))
	}
	l.off = stop + 1
	if end == '"' {
		return l.countAtom()
	}
	return nil
}

func (l *formLexer) textTooLong(off, n int) *fault {
	return &fault{off: off, found: "a text of " + count(n, "byte"), expected: "at most " + count(l.limits.String, "byte")}
}

// atom moves over a keyword, symbol or number.
func (l *formLexer) atom() *fault {
	from := l.off
	for l.off < len(l.src) {
		if l.src[l.off] == '|' {
			if fault := l.text(l.off+1, '|'); fault != nil {
				return fault
			}
			continue
		}
		if classes[l.src[l.off]]&atom == 0 {
			break
		}
		l.off++
	}
	if l.off < len(l.src) && l.src[l.off] == '#' {
		f := unexpected(l.src, l.off) // even #|: in Lisp it would be part of the name
		f.incomplete = false
		return f
	}
	if l.off-from > l.limits.String {
		b := builder{src: l.src[from:l.off]}
		if v, f := b.atom(Pos{}); f == nil && len(v.text) > l.limits.String {
			return l.textTooLong(from, len(v.text))
		}
	}
	return l.countAtom()
}

func (l *formLexer) countAtom() *fault {
	if l.atoms++; l.atoms > l.limits.Atoms {
		return &fault{off: l.off, found: "one atom more", expected: "at most " + count(l.limits.Atoms, "atom")}
	}
	return nil
}
