package glob

import (
	"strings"
	"unicode/utf8"
)

// class is what stands in brackets. Slashes are in no class.
type class struct {
	not    bool
	ranges [][2]rune
}

func (c class) has(r rune) bool {
	if r == '/' {
		return false
	}
	for _, x := range c.ranges {
		if x[0] <= r && r <= x[1] {
			return !c.not
		}
	}
	return c.not
}

// readClass reads [abc], [!a-z], [^x] and the shell's []x]. Named classes such
// as [:alpha:] become "anything", which errs towards a match.
func readClass(s string) (c class, n int, ok bool) {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		c.not = true
		i++
	}
	for first := true; i < len(s); first = false {
		if s[i] == ']' && !first {
			return c, i + 1, true
		}
		if strings.HasPrefix(s[i:], "[:") || strings.HasPrefix(s[i:], "[.") || strings.HasPrefix(s[i:], "[=") {
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				return c, 0, false
			}
			i += end + 4
			j := strings.IndexByte(s[i:], ']')
			if j < 0 {
				return c, 0, false
			}
			return class{not: true}, i + j + 1, true
		}
		lo, w := classRune(s[i:])
		i += w
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			hi, w = classRune(s[i+1:])
			i += 1 + w
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, 0, false
}

func classRune(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}
