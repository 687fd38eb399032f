package fields

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape writes what the escape at the start of s means in JSON, Python and YAML, and
// returns its length. An escape that it does not know stands for itself.
func unescape(buf *strings.Builder, s string) int {
	if len(s) < 2 {
		buf.WriteString(s)
		return len(s)
	}
	switch s[1] {
	case 'n':
		buf.WriteByte('\n')
	case 't':
		buf.WriteByte('\t')
	case 'r':
		buf.WriteByte('\r')
	case '"', '\'', '\\', '/', ' ':
		buf.WriteByte(s[1])
	case '\n': // a line that goes on, with its indentation
		return 2 + len(s[2:]) - len(strings.TrimLeft(s[2:], " \t"))
	case 'x':
		return hexRune(buf, s, 2)
	case 'u':
		return hexRune(buf, s, 4)
	case 'U':
		return hexRune(buf, s, 8)
	default:
		_, n := utf8.DecodeRuneInString(s[1:])
		buf.WriteString(s[:1+n])
		return 1 + n
	}
	return 2
}

// hexRune writes the character of n hexadecimal digits, or of a pair of surrogates.
func hexRune(buf *strings.Builder, s string, n int) int {
	r, ok := hexAt(s, n)
	if !ok {
		buf.WriteString(s[:2])
		return 2
	}
	if utf16.IsSurrogate(r) && n == 4 {
		if low, ok := hexAt(s[6:], 4); ok && strings.HasPrefix(s[6:], `\u`) {
			buf.WriteRune(utf16.DecodeRune(r, low))
			return 12
		}
	}
	buf.WriteRune(r)
	return 2 + n
}

func hexAt(s string, n int) (rune, bool) {
	if len(s) < 2+n {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:2+n], 16, 32)
	return rune(v), err == nil && v <= utf8.MaxRune
}
