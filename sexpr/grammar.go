package sexpr

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar: a document is the data in it. participle drives; the form lexer
// hands it one whole top-level form as one token, because a grammar that went
// down to atoms would recurse as deep as the text nests (and be many times
// slower). As a field, forms keeps the positions of its errors; as the root it
// would not.
type document struct {
	Forms *forms `parser:"@@"`
}

// forms is the production that builds values out of form tokens.
type forms struct{ values []Value }

const formToken lexer.TokenType = 1

var grammar = sync.OnceValue(func() *participle.Parser[document] {
	return participle.MustBuild[document](participle.Lexer(definition{}))
})

// parse runs the grammar over the forms of one text.
func parse(l *formLexer) ([]Value, error) {
	tokens, err := lexer.Upgrade(l)
	if err != nil {
		return nil, asError(err)
	}
	doc, err := grammar().ParseFromLexer(tokens)
	if err != nil {
		return nil, asError(err)
	}
	return doc.Forms.values, nil
}

// Parse implements participle's Parseable.
func (f *forms) Parse(tokens *lexer.PeekingLexer) error {
	b := builders.Get().(*builder)
	defer b.release()
	for t := tokens.Next(); !t.EOF(); t = tokens.Next() {
		base := Pos{Line: int32(t.Pos.Line), Col: int32(t.Pos.Column)}
		v, fault := b.form(t.Value, base)
		if fault != nil {
			return fault.locate(t.Pos.Filename, t.Value, base)
		}
		f.values = append(f.values, v)
	}
	return nil
}

// definition is what participle asks when it builds the grammar. Texts come
// through [parse], which has limits of its own.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{"EOF": lexer.EOF, "Form": formToken}
}

func (definition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	limits := Limits{}.orDefaults()
	src, err := io.ReadAll(io.LimitReader(r, int64(limits.Bytes)+1))
	if err != nil {
		return nil, err
	}
	return newFormLexer(file, string(src), limits, false), nil
}

// formLexer cuts a text into top-level forms. It enforces every limit and finds
// every error of structure, so that what builds the values may trust both.
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
		// What is wrong before the end, no further input will mend.
		if _, earlier := build(l.src[from:], l.pos); earlier != nil && !earlier.incomplete {
			fault = earlier
			fault.off += from
		}
	}
	return lexer.Token{}, fault.locate(l.file, l.src, start)
}

// secondDatum says that one was wanted, if there is nothing wrong with that one.
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

// count writes a number and its unit: "1 byte", "2 bytes".
func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// endOfText returns the offset of the quote or bar that ends a text, or -1.
func endOfText(src string, off int, end byte) int {
	for off < len(src) {
		switch c := src[off]; {
		case c == end:
			return off
		case c == '\\':
			off++
		}
		off++
	}
	return -1
}

// unclosedText says that a string or name has no end.
func unclosedText(src string, end byte) *fault {
	what := "a string"
	if end == '|' {
		what = "a name in bars"
	}
	return &fault{off: len(src), found: "the end of the text inside " + what, expected: string(rune(end)), incomplete: true}
}

// skipBlanks returns the offset after white space and comments.
func skipBlanks(src string, off int) (int, *fault) {
	for off < len(src) {
		c := src[off]
		switch {
		case classes[c]&blank != 0:
			off++
		case c == ';':
			n := strings.IndexByte(src[off:], '\n')
			if n < 0 {
				return len(src), nil
			}
			off += n
		case c == '#' && off+1 < len(src) && src[off+1] == '|':
			end := endOfComment(src, off+2)
			if end < 0 {
				return len(src), &fault{off: len(src), found: "the end of the text inside a comment", expected: "|#", incomplete: true}
			}
			off = end
		default:
			return off, nil
		}
	}
	return off, nil
}

// endOfComment returns the offset after the |# that ends a comment, or -1.
// Comments nest, as in Common Lisp.
func endOfComment(src string, off int) int {
	for open := 1; off+1 < len(src); {
		switch src[off : off+2] {
		case "|#":
			off += 2
			if open--; open == 0 {
				return off
			}
		case "#|":
			open++
			off += 2
		default:
			off++
		}
	}
	return -1
}

// unexpected says why no datum begins with the character at off.
func unexpected(src string, off int) *fault {
	r, _ := utf8.DecodeRuneInString(src[off:])
	f := &fault{off: off, found: describe(r), expected: "a datum"}
	switch r {
	case '#':
		f.found, f.expected = "a # form: "+quoted(firstRunes(src[off:], 2)), "data only; # forms but comments are not read"
		f.incomplete = off+1 == len(src)
	case '\'':
		f.expected = "data only; quote is for code"
	case '`', ',':
		f.expected = "data only; backquote and comma are not read"
	case '[', ']':
		f.expected = "lists in ( )"
	case '\\':
		f.expected = "a name, in bars if it needs escapes: |a b|"
	case '“', '”', '„', '‟', '″', '«', '»', '＂':
		f.found, f.expected = describe(r)+", a typographic quote", `a plain " (U+0022)`
	case '‘', '’', '‚', '‛', '′', '‹', '›', '＇':
		f.found, f.expected = describe(r)+", a typographic quote", `a plain " (U+0022) around strings`
	case '\u00a0', '\u2007', '\u202f', '\u3000', '\u200b':
		f.expected = "a plain space (U+0020)"
	default:
		if r >= utf8.RuneSelf {
			f.expected = "ASCII outside strings; other names stand in bars: |größe|"
		}
	}
	return f
}

// describe names a character in a message.
func describe(r rune) string {
	code := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	for len(code) < 4 {
		code = "0" + code
	}
	if r < utf8.RuneSelf && r > ' ' && r != 0x7f {
		return "'" + string(r) + "'"
	}
	if !strconv.IsPrint(r) {
		return "U+" + code
	}
	return string(r) + " (U+" + code + ")"
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
