package sexpr

import (
	"strings"
	"unicode/utf8"
)

// TokenKind is what a [Token] is.
type TokenKind uint8

// The kinds of token. A Stray is what a [Reader] takes nowhere: a character that begins
// no datum, or a string, a name in bars or a comment without an end.
const (
	Blanks       TokenKind = iota // white space, line ends with it
	LineComment                   // from ; to the end of the line, without the line end
	BlockComment                  // from #| to the |# that ends it
	Opening                       // (
	Closing                       // )
	QuoteMark                     // '
	StringToken                   // with its quotes
	AtomToken                     // a keyword, symbol or number, with its bars
	Stray
)

// Token is a piece of a text, as it is written: the bytes from From up to To.
type Token struct {
	Kind     TokenKind
	From, To int
}

// NextToken returns the token that begins at off, which lies before the end of src and
// at the border of two tokens. Tokens leave nothing out: one begins where the last one
// ends. It is for editors and formatters, which look at texts with comments, and at texts
// that are not right yet: it checks no limits, names, numbers or escapes. Where a Reader
// takes the text, the tokens are those that it reads.
func NextToken(src string, off int) Token {
	t := Token{From: off, To: off + 1}
	switch c := src[off]; {
	case classes[c]&blank != 0:
		t.Kind = Blanks
		for t.To < len(src) && classes[src[t.To]]&blank != 0 {
			t.To++
		}
	case c == ';':
		t.Kind, t.To = LineComment, len(src)
		if n := strings.IndexByte(src[off:], '\n'); n >= 0 {
			t.To = off + n
		}
	case strings.HasPrefix(src[off:], "#|"):
		t.Kind, t.To = ended(BlockComment, src, endOfComment(src, off+2))
	case c == '(':
		t.Kind = Opening
	case c == ')':
		t.Kind = Closing
	case c == '\'':
		t.Kind = QuoteMark
	case c == '"':
		t.Kind, t.To = ended(StringToken, src, endOfText(src, off+1, '"')+1)
	case classes[c]&atom != 0 || c == '|':
		t.Kind, t.To = atomToken(src, off)
	default:
		_, n := utf8.DecodeRuneInString(src[off:])
		t.Kind, t.To = Stray, off+n
	}
	return t
}

// ended is the kind and end of a token that needs an end; end is not positive if it has
// none.
func ended(kind TokenKind, src string, end int) (TokenKind, int) {
	if end <= 0 {
		return Stray, len(src)
	}
	return kind, end
}

// atomToken moves over an atom. A # behind one is part of no name, and begins no comment.
func atomToken(src string, off int) (TokenKind, int) {
	for off < len(src) {
		switch c := src[off]; {
		case c == '|':
			end := endOfText(src, off+1, '|')
			if end < 0 {
				return Stray, len(src)
			}
			off = end + 1
		case classes[c]&atom != 0:
			off++
		case c == '#':
			return Stray, off + 1
		default:
			return AtomToken, off
		}
	}
	return AtomToken, off
}
