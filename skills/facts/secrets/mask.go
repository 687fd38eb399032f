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
	masked := s.without(text, s.places(text))
	if kinds := s.Kinds(masked); len(kinds) > 0 {
		return "[" + kinds[0] + "]" // no single place holds it
	}
	return masked
}

// without is a text with [KIND] in some places of it.
func (s *scanner) without(text string, places []span) string {
	var out strings.Builder
	end := 0
	for _, f := range places {
		out.WriteString(text[end:f.from] + "[" + f.kind + "]")
		end = f.to
	}
	return out.String() + text[end:]
}

// places are the secrets of a text and the base64 that holds one, in order. Those that overlap are one.
func (s *scanner) places(text string) []span {
	found := s.spans(text)
	for _, run := range runs(text) {
		found = append(found, s.inside(text[run[0]:run[1]], run[0], run[1])...)
	}
	for _, b := range blocks(text) {
		found = append(found, s.inside(b.run, b.from, b.to)...)
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	out := found[:0]
	for _, f := range found {
		if n := len(out); n > 0 && f.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, f.to)
		} else {
			out = append(out, f)
		}
	}
	return out
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
			if r.kind == "private-key" && !strings.Contains(text[at[0]:at[1]], "-----END") {
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
	const tail = len("-----END")
	rest := text[from+end+tail:]
	if done := strings.Index(rest, "-----"); done >= 0 && !strings.ContainsAny(rest[:done], "\n\"") {
		return from + end + tail + done + len("-----")
	}
	line := strings.IndexByte(text[from+end:], '\n')
	if line < 0 {
		return len(text)
	}
	return from + end + line
}
