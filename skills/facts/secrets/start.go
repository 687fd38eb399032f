package secrets

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// start cheaply excludes texts in which a pattern cannot match. Some patterns begin
// with arbitrary text and continue with one of a few words, such as "token" or
// "secret", which makes them expensive: every character may begin a match. start
// skips that beginning, finds the words, and tries the rest only there.
type start struct {
	words [256][]string // in lower case, by their first byte
	rest  *regexp.Regexp
}

// maxWords bounds the words that a pattern may go on with.
const maxWords = 64

// newStart returns nil for a pattern that is not of that shape.
func newStart(pattern string) *start {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return nil
	}
	n := 0
	for n < len(re.Sub) && mayBeNothing(re.Sub[n]) {
		n++
	}
	if n == 0 || n == len(re.Sub) {
		return nil
	}
	words, ok := spelled(re.Sub[n])
	if !ok {
		return nil
	}
	s := &start{}
	for _, w := range words {
		if len(w) < 2 {
			return nil
		}
		s.words[w[0]] = append(s.words[w[0]], w)
	}
	rest := &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: re.Sub[n:]}
	if s.rest, err = regexp.Compile(`\A(?:` + rest.String() + `)`); err != nil {
		return nil
	}
	return s
}

// mayBeNothing reports whether a piece of a pattern can match the empty text in any
// context.
func mayBeNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return re.Min == 0
	}
	return false
}

// spelled lists the texts that a pattern matches, in lower case, if they are
// few and ASCII.
func spelled(re *syntax.Regexp) ([]string, bool) {
	var out []string
	switch re.Op {
	case syntax.OpEmptyMatch:
		out = []string{""}
	case syntax.OpLiteral:
		out = []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(out) <= maxWords; r++ {
				if folded := unfold(r); !slices.Contains(out, folded) {
					out = append(out, folded)
				}
			}
		}
	case syntax.OpCapture:
		return spelled(re.Sub[0])
	case syntax.OpQuest:
		inner, ok := spelled(re.Sub[0])
		if !ok {
			return nil, false
		}
		out = append(inner, "")
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			inner, ok := spelled(sub)
			if !ok {
				return nil, false
			}
			out = append(out, inner...)
		}
	case syntax.OpConcat:
		out = []string{""}
		for _, sub := range re.Sub {
			inner, ok := spelled(sub)
			if !ok || len(out)*len(inner) > maxWords {
				return nil, false
			}
			var longer []string
			for _, a := range out {
				for _, b := range inner {
					longer = append(longer, a+b)
				}
			}
			out = longer
		}
	default:
		return nil, false
	}
	ascii := !slices.ContainsFunc(out, func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
	})
	return out, ascii && len(out) > 0 && len(out) <= maxWords
}

// The two non-ASCII letters that a case-insensitive pattern folds to ASCII.
const (
	longS  = "\u017F"
	kelvin = "\u212A"
)

func unfold(r rune) string {
	switch s := string(r); s {
	case longS:
		return "s"
	case kelvin:
		return "k"
	default:
		return strings.ToLower(s)
	}
}

// somewhere reports whether the pattern may match in text; false is certain.
func (s *start) somewhere(text string) bool {
	if strings.Contains(text, longS) || strings.Contains(text, kelvin) {
		return true
	}
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		for _, w := range s.words[c] {
			if len(text)-i >= len(w) && strings.EqualFold(text[i:i+len(w)], w) {
				if s.rest.MatchString(text[i:]) {
					return true
				}
				break
			}
		}
	}
	return false
}
