package sexpr

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// unclosedText is the error for a string or name without an end.
func unclosedText(src string, end byte) *fault {
	what := "a string"
	if end == '|' {
		what = "a name in bars"
	}
	return &fault{off: len(src), found: "the end of the text inside " + what, expected: string(rune(end)),
		incomplete: true}
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
				return len(src),
					&fault{off: len(src), found: "the end of the text inside a comment", expected: "|#", incomplete: true}
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

// unexpected is the error for a character at off that cannot begin a datum.
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
