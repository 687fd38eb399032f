package wire

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text writes the string that comes next, one spelling for each value.
func (w *rewriter) text() {
	w.out = append(w.out, '"')
	for w.at++; w.in[w.at] != '"'; {
		from := w.at
		for c := w.in[w.at]; c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; c = w.in[w.at] {
			w.at++
		}
		w.out = append(w.out, w.in[from:w.at]...)
		switch c := w.in[w.at]; {
		case c == '"':
		case c == '\\':
			w.escape()
		default:
			r, n := utf8.DecodeRune(w.in[w.at:])
			w.out = appendRune(w.out, r)
			w.at += n
		}
	}
	w.out = append(w.out, '"')
	w.at++
}

// escape writes the character that an escape stands for.
func (w *rewriter) escape() {
	c := w.in[w.at+1]
	w.at += 2
	if c != 'u' {
		plain := map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
		if r, ok := plain[c]; ok {
			w.out = appendRune(w.out, r)
		} else {
			w.out = appendRune(w.out, rune(c)) // ", \ or /
		}
		return
	}
	r := w.unit()
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if w.in[w.at] == '\\' && w.in[w.at+1] == 'u' {
			at := w.at
			w.at += 2
			if pair = utf16.DecodeRune(r, w.unit()); pair == utf8.RuneError {
				w.at = at // it is a character by itself
			}
		}
		r = pair
	}
	w.out = appendRune(w.out, r)
}

// unit reads the four digits of an escape.
func (w *rewriter) unit() rune {
	n, _ := strconv.ParseUint(string(w.in[w.at:w.at+4]), 16, 16) // the grammar is known to be right
	w.at += 4
	return rune(n)
}

// appendRune writes a character of a string. Characters that end a line for some reader, and those that
// some readers drop, are escaped.
func appendRune(out []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(out, '\\', byte(r))
	case r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\uFEFF':
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return utf8.AppendRune(out, r)
}
