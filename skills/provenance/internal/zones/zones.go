package zones

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/origin"
)

// Level is what a part of a text does to its reader.
type Level uint8

// The levels, from harmless to worst.
const (
	Prose  Level = iota // tells
	Plain               // tells its reader to act
	Weak                // and may speak to an agent; not in a source that the user delegated to
	Strong              // speaks to an agent about its task
)

// Origin is what a value comes from that stands at a level.
func (l Level) Origin() origin.Origin {
	switch l {
	case Prose:
		return origin.Prose
	case Plain:
		return origin.Zone
	case Weak, Strong:
	}
	return origin.Alien
}

// Zone is a part of a text above Prose.
type Zone struct {
	Level      Level
	Start, End int           // bytes
	Classes    lexicon.Class // that its verbs ask for
	Stems      []string      // of its words, each once
	Tools      []string      // names of tools in it, in small letters
}

// Map says where the levels of a text begin; each reaches to the next one or the end.
type Map struct {
	Zones []Zone // in order, not overlapping
}

// At returns the level at a byte of the text.
func (m *Map) At(i int) Level {
	level := Prose
	for _, z := range m.Zones {
		if i >= z.Start {
			level = z.Level
		}
	}
	return level
}

// Worst returns the worst level in the text.
func (m *Map) Worst() Level {
	worst := Prose
	for _, z := range m.Zones {
		worst = max(worst, z.Level)
	}
	return worst
}

// Scan finds the zones of a text. Tools are the names that give an alien zone away.
func Scan(l *lexicon.Lexicon, tools *Names, text string) Map {
	r := l.Reader()
	defer r.Close()
	s := scan{l: l, r: r, text: text, toks: r.Tokens(text)}
	if len(s.toks) < 4 {
		return Map{}
	}
	var few [16]span // enough for most fields of a record
	s.segs = s.segments(few[:0])
	plain, weak, strong := s.directive(), -1, -1
	named := tools.find(text, s.toks)
	if i := s.alien(&l.Alien, lexicon.InAlien); i >= 0 {
		strong = s.start(i)
	}
	if plain >= 0 {
		if i := s.alien(&l.AlienWeak, lexicon.InAlienWeak); i >= 0 {
			weak = s.start(i)
		}
	}
	if len(named) > 0 {
		strong = least(strong, s.start(named[0].token))
	}
	if i := marks(l, text); i >= 0 {
		strong = least(strong, s.tokenAt(i))
	}
	return s.zones(plain, s.back(weak, plain), s.back(strong, plain), named)
}

// least is the smaller of two token numbers, of which -1 is none.
func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// marks finds the marks of chat templates.
func marks(l *lexicon.Lexicon, text string) int {
	best := -1
	for _, m := range l.AlienMarks {
		best = least(best, strings.Index(text, m))
	}
	return best
}

type scan struct {
	l    *lexicon.Lexicon
	r    *lexicon.Reader
	text string
	toks []lexicon.Token
	segs []span // of tokens
}

// span is some tokens, and what any of them may begin.
type span struct {
	from, to int
	begins   lexicon.Begins
}

// alien returns the first token that one of the patterns begins at, or -1. Marks between
// the words do not count.
func (s *scan) alien(p *lexicon.Patterns, begins lexicon.Begins) int {
	var room [32]string
	for _, sg := range s.segs {
		if sg.begins&begins == 0 {
			continue // most segments
		}
		for i := sg.from; i < sg.to; i++ {
			if t := &s.toks[i]; t.Word && t.Begins&begins != 0 && p.Leads(s.r.Words(room[:0], i, 2)) &&
				p.At(s.r.Words(room[:0], i, p.Max)) > 0 {
				return i
			}
		}
	}
	return -1
}

// start returns the first token of the segment that token i stands in, or of the tag
// that opens before it.
func (s *scan) start(i int) int {
	first := i
	for _, sg := range s.segs {
		if sg.from > i {
			break
		}
		first = sg.from
	}
	for j := 0; j+2 < first; j++ {
		if s.toks[j].Key == "<" && s.toks[j+1].Word && s.toks[j+2].Key == ">" && !s.l.Tags[s.toks[j+1].Key] {
			return j
		}
	}
	return first
}

func (s *scan) tokenAt(offset int) int {
	for i, t := range s.toks {
		if t.End > offset {
			return s.start(i)
		}
	}
	return len(s.toks) - 1
}

// back moves the start of an alien zone to a directive before it in its paragraph.
func (s *scan) back(alien, plain int) int {
	if alien < 0 || plain < 0 || plain >= alien {
		return alien
	}
	if strings.Contains(s.text[s.toks[plain].Start:s.toks[alien].Start], "\n\n") {
		return alien
	}
	return plain
}

// zones makes the zones from the tokens where the levels begin.
func (s *scan) zones(plain, weak, strong int, named []name) Map {
	var m Map
	ends := func(later ...int) int {
		end := len(s.toks)
		for _, l := range later {
			if l >= 0 {
				end = min(end, l)
			}
		}
		return end
	}
	add := func(level Level, from, to int) {
		if from >= 0 && from < to {
			m.Zones = append(m.Zones, s.zone(level, from, to, named))
		}
	}
	add(Plain, plain, ends(weak, strong))
	add(Weak, weak, ends(strong))
	add(Strong, strong, len(s.toks))
	return m
}

// zone describes the tokens of one zone. In an alien zone every verb counts.
func (s *scan) zone(level Level, from, to int, named []name) Zone {
	z := Zone{Level: level, Start: s.toks[from].Start, End: len(s.text)}
	if to < len(s.toks) {
		z.End = s.toks[to].Start
	}
	commands := false
	for _, sg := range s.segs {
		if sg.from >= from && sg.from < to {
			for _, v := range s.verbs(sg) {
				commands = true
				z.Classes |= s.l.Verbs[v]
			}
		}
	}
	seen := map[string]bool{}
	var lately [256]string // most words of a text come again soon
	for i := from; i < to; i++ {
		t := &s.toks[i]
		if !t.Word {
			continue
		}
		if level > Plain && t.Begins&lexicon.IsCommand != 0 {
			z.Classes |= t.Verbs
		}
		if level > Plain || commands {
			z.Classes |= t.Nouns
		}
		slot := &lately[(len(t.Stem)*31+int(t.Stem[0])*7+int(t.Stem[len(t.Stem)-1]))%len(lately)]
		if *slot != t.Stem && !seen[t.Stem] {
			seen[t.Stem] = true
			z.Stems = append(z.Stems, t.Stem)
		}
		*slot = t.Stem
	}
	for _, n := range named {
		if n.token >= from && n.token < to {
			z.Tools = append(z.Tools, n.tool)
		}
	}
	return z
}
