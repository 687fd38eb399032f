package facts

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the inside of $'...'. It reports false for what depends on the
// locale or ends the string early: control characters by \c, a NUL, and
// characters beyond ASCII by number.
func ansiC(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte(`abeEfnrtv\'"?`, s[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[j])
			continue
		}
		base, limit, at := 8, 3, i
		switch s[i] {
		case 'x':
			base, limit, at = 16, 2, i+1
		case 'u':
			base, limit, at = 16, 4, i+1
		case 'U':
			base, limit, at = 16, 8, i+1
		case 'c':
			return "", false
		}
		n := digits(s[at:], base, limit)
		if n == 0 {
			if at > i {
				return "", false
			}
			b.WriteString(s[i-1 : i+1])
			continue
		}
		code, err := strconv.ParseUint(s[at:at+n], base, 32)
		if err != nil || code == 0 || code >= utf8.RuneSelf {
			return "", false
		}
		b.WriteByte(byte(code))
		i = at + n - 1
	}
	return b.String(), true
}

// digits counts the leading digits of s, at most limit.
func digits(s string, base, limit int) int {
	n := 0
	for n < limit && n < len(s) {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	return n
}
