package secrets

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// span is a secret in a text.
type span struct {
	from, to int
	kind     string
}

// NewMask returns a function that replaces every credential in a text, and every
// base64 run that holds one, with [KIND], and keeps the rest, including paths and
// hosts. It is safe for concurrent use. If the rules cannot be read, it hides the
// whole text.
func NewMask() func(text string) string {
	scanner := sync.OnceValues(load)
	return func(text string) string {
		s, err := scanner()
		if err != nil {
			return "[hidden: the rules for secrets cannot be read]"
		}
		return s.mask(text)
	}
}

// mask never gives a text in which there is still a secret: it rather hides the whole.
func (s *scanner) mask(text string) string {
	found := s.spans(text)
	for _, run := range runs(text) {
		found = append(found, s.inside(text[run[0]:run[1]], run[0], run[1])...)
	}
	for _, b := range blocks(text) {
		found = append(found, s.inside(b.run, b.from, b.to)...)
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var out strings.Builder
	end := 0
	for _, f := range found {
		switch {
		case f.from >= end:
			out.WriteString(text[end:f.from] + "[" + f.kind + "]")
		case f.to <= end:
			continue
		}
		end = f.to
	}
	masked := out.String() + text[end:]
	if kinds := s.Kinds(masked); len(kinds) > 0 {
		return "[" + kinds[0] + "]" // no single place holds it
	}
	return masked
}

// inside is the place of base64 that holds a secret; none if it holds none.
func (s *scanner) inside(run string, from, to int) []span {
	for _, inner := range decodeRun(run) {
		if kinds := s.Kinds(inner); len(kinds) > 0 {
			return []span{{from, to, kinds[0]}}
		}
	}
	return nil
}

// spans returns the secrets of a text, in no order.
func (s *scanner) spans(text string) []span {
	marks := make([]bool, len(s.rules))
	s.words.in(strings.ToLower(text), marks)
	var out []span
	for i, r := range s.rules {
		if !marks[i] {
			continue
		}
		for _, m := range r.pattern().FindAllStringSubmatchIndex(text, -1) {
			at, ok := s.secretIn(r, text, m)
			if !ok {
				continue
			}
			if r.kind == "private-key" {
				at[1] = endOfKey(text, at[1])
			}
			out = append(out, span{at[0], at[1], r.kind})
		}
	}
	return out
}

// endOfKey is the end of a private key's block whose first line ends at from: after
// its last line, or the end of the text.
func endOfKey(text string, from int) int {
	end := strings.Index(text[from:], "-----END")
	if end < 0 {
		return len(text)
	}
	line := strings.IndexByte(text[from+end:], '\n')
	if line < 0 {
		return len(text)
	}
	return from + end + line
}
