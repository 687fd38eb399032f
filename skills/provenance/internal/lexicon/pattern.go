package lexicon

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// A pattern is slots with white space between them. A slot is words with | between
// them; word* is any word that begins so, *word* any that contains it, * any word. A
// slot that ends in ? may be missing, and ~n skips up to n words.
type pattern struct{ slots []slot }

type slot struct {
	words    map[string]bool
	starts   []string
	contains []string
	all      bool
	optional bool
	gap      int
}

// maxWays bounds in how many ways a pattern can be laid over one place.
const maxWays = 256

func parsePattern(s string) (pattern, error) {
	var p pattern
	ways := 1
	for _, word := range strings.Fields(words.Skeleton(s)) {
		sl := slot{words: map[string]bool{}}
		if n, ok := strings.CutPrefix(word, "~"); ok {
			gap, err := strconv.Atoi(n)
			if err != nil || gap < 1 || gap > 20 {
				return p, fmt.Errorf("%q: a gap is ~1 to ~20", word)
			}
			sl.gap = gap
			ways *= gap + 1
		} else {
			word, sl.optional = strings.CutSuffix(word, "?")
			if sl.optional {
				ways *= 2
			}
			sl.add(word)
		}
		p.slots = append(p.slots, sl)
	}
	switch {
	case len(p.slots) == 0 || p.slots[0].gap > 0 || p.slots[0].optional || p.slots[0].all:
		return p, fmt.Errorf("a pattern begins with a word that it needs, unlike %q", s)
	case ways > maxWays:
		return p, fmt.Errorf("%q can be laid over one place in %d ways; %d are the most", s, ways, maxWays)
	}
	return p, nil
}

func (s *slot) add(alternatives string) {
	for _, w := range strings.Split(alternatives, "|") {
		switch {
		case w == "*":
			s.all = true
		case strings.HasPrefix(w, "*"):
			s.contains = append(s.contains, strings.Trim(w, "*"))
		case strings.HasSuffix(w, "*"):
			s.starts = append(s.starts, strings.TrimSuffix(w, "*"))
		default:
			s.words[strings.ReplaceAll(w, "’", "'")] = true
		}
	}
}

func (s *slot) fits(w string) bool {
	if s.all || s.words[w] {
		return true
	}
	for _, p := range s.starts {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	for _, p := range s.contains {
		if strings.Contains(w, p) {
			return true
		}
	}
	return false
}

// match returns how many words the slots cover from the start of ws, or -1.
func match(slots []slot, ws []string) int {
	for i := range slots {
		s := &slots[i]
		if s.gap > 0 {
			for n := 0; n <= s.gap && n <= len(ws); n++ {
				if m := match(slots[i+1:], ws[n:]); m >= 0 {
					return covered(slots[:i]) + n + m
				}
			}
			return -1
		}
		if s.optional {
			if len(ws) > 0 && s.fits(ws[0]) {
				if m := match(slots[i+1:], ws[1:]); m >= 0 {
					return covered(slots[:i]) + 1 + m
				}
			}
			if m := match(slots[i+1:], ws); m >= 0 {
				return covered(slots[:i]) + m
			}
			return -1
		}
		if len(ws) == 0 || !s.fits(ws[0]) {
			return -1
		}
		ws = ws[1:]
	}
	return covered(slots)
}

// covered is the number of words under slots that each cover one.
func covered(slots []slot) int { return len(slots) }

// Patterns are patterns by the words that they begin with.
type Patterns struct {
	byWord map[string]*beginning
	others []int // those that begin with a part of a word
	all    []pattern
	Max    int // the most words that one covers
}

// beginning is the patterns that begin with a word, and the words that may stand second in
// them; nil if that can be any.
type beginning struct {
	patterns []int
	second   map[string]bool
}

// add adds pattern n, which has these slots.
func (b *beginning) add(n int, slots []slot) {
	b.patterns = append(b.patterns, n)
	if b.second == nil && len(b.patterns) > 1 {
		return
	}
	if len(slots) < 2 || !slots[1].listed() {
		b.second = nil
		return
	}
	if b.second == nil {
		b.second = map[string]bool{}
	}
	maps.Copy(b.second, slots[1].words)
}

// listed reports whether a slot is one of its words and nothing else.
func (s *slot) listed() bool {
	return !s.all && !s.optional && s.gap == 0 && len(s.starts) == 0 && len(s.contains) == 0
}

// of returns the patterns that may fit where ws begins, by their first words.
func (b *beginning) of(ws []string) []int {
	if b == nil || b.second != nil && (len(ws) < 2 || !b.second[ws[1]]) {
		return nil
	}
	return b.patterns
}

func (p *Patterns) add(s string) error {
	one, err := parsePattern(s)
	if err != nil {
		return err
	}
	if p.byWord == nil {
		p.byWord = map[string]*beginning{}
	}
	n := len(p.all)
	p.all = append(p.all, one)
	for w := range one.slots[0].words {
		if p.byWord[w] == nil {
			p.byWord[w] = &beginning{}
		}
		p.byWord[w].add(n, one.slots)
	}
	if len(one.slots[0].starts)+len(one.slots[0].contains) > 0 {
		p.others = append(p.others, n)
	}
	most := 0
	for _, s := range one.slots {
		most += max(1, s.gap)
	}
	p.Max = max(p.Max, most)
	return nil
}

// At returns the most words that a pattern covers from the start of ws, or 0.
func (p *Patterns) At(ws []string) int {
	if len(ws) == 0 {
		return 0
	}
	best := 0
	for _, list := range [][]int{p.byWord[ws[0]].of(ws), p.others} {
		for _, n := range list {
			best = max(best, match(p.all[n].slots, ws))
		}
	}
	return best
}

// Leads reports whether a pattern may fit where ws begins, by its first two words.
func (p *Patterns) Leads(ws []string) bool { return len(p.others) > 0 || p.byWord[ws[0]].of(ws) != nil }

// mayBegin reports whether a pattern may begin with a word.
func (p *Patterns) mayBegin(w string) bool {
	if p.byWord[w] != nil {
		return true
	}
	for _, n := range p.others {
		if p.all[n].slots[0].fits(w) {
			return true
		}
	}
	return false
}

// Find returns the first place in ws where a pattern fits and how many words it covers;
// -1 if there is none.
func (p *Patterns) Find(ws []string) (at, n int) {
	for i := range ws {
		if n := p.At(ws[i:]); n > 0 {
			return i, n
		}
	}
	return -1, 0
}
