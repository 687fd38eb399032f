package value

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Pattern is a regular expression with what tells cheaply that it matches
// nowhere: patterns of rules are looked for in much text and seldom found. It is
// immutable.
type Pattern struct {
	re *regexp.Regexp
	// needles, if any, are ASCII texts in lower case, one of which stands in
	// every match in some case of its letters; first marks their first bytes.
	needles []string
	first   [256]bool
	// ranges, if any, are all there is to the pattern: one character of a class.
	ranges []rune
}

// maxNeedles bounds the texts that are looked for in place of a pattern.
const maxNeedles = 32

// NewPattern compiles a regular expression in RE2's syntax.
func NewPattern(text string) (*Pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{re: re}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if parsed.Op == syntax.OpCharClass {
		p.ranges = parsed.Rune
	}
	if p.needles = needlesOf(parsed); shortest(p.needles) < 2 {
		p.needles = nil
	}
	for _, n := range p.needles {
		p.first[n[0]] = true
		p.first[strings.ToUpper(n)[0]] = true
	}
	return p, nil
}

// String is the regular expression as the rule has it.
func (p *Pattern) String() string { return p.re.String() }

// Match reports whether the pattern matches anywhere in s.
func (p *Pattern) Match(s string) bool {
	switch {
	case p.ranges != nil:
		return strings.ContainsFunc(s, p.has)
	case p.needles != nil && !p.mayMatch(s):
		return false
	}
	return p.re.MatchString(s)
}

// has reports whether the class that is the pattern has a character.
func (p *Pattern) has(r rune) bool {
	for i := 0; i+1 < len(p.ranges) && p.ranges[i] <= r; i += 2 {
		if r <= p.ranges[i+1] {
			return true
		}
	}
	return false
}

// foreign are the letters outside ASCII that a pattern without regard to case
// takes for one in it: the long s and the sign of kelvin.
const foreign = "\u017F\u212A"

// mayMatch reports whether a needle stands in s.
func (p *Pattern) mayMatch(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 && (strings.HasPrefix(s[i:], foreign[:2]) || strings.HasPrefix(s[i:], foreign[2:])) {
			return true
		}
		if !p.first[s[i]] {
			continue
		}
		for _, n := range p.needles {
			if len(s)-i >= len(n) && strings.EqualFold(s[i:i+len(n)], n) {
				return true
			}
		}
	}
	return false
}

// needlesOf lists texts, one of which stands in every match; nil if there are
// none that could be told.
func needlesOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
			return nil
		}
		return []string{strings.ToLower(text)}
	case syntax.OpCapture, syntax.OpPlus:
		return needlesOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needlesOf(re.Sub[0])
		}
	case syntax.OpConcat: // the part whose needles are found most seldom
		var best []string
		for _, sub := range re.Sub {
			if n := needlesOf(sub); shortest(n) > shortest(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needlesOf(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		slices.Sort(all)
		if all = slices.Compact(all); len(all) <= maxNeedles {
			return all
		}
	}
	return nil
}

// shortest is the length of the shortest text, and 0 if there is none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}
