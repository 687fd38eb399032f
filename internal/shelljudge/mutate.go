package shelljudge

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Maker makes lines from a seed: the same lines in the same order for the same seed.
type Maker struct {
	*rand.Rand
	places   *places
	seeds    []Seed
	words    map[string][]string
	lines    map[string][]string
	families []string
}

// Candidate is a generated line that has not been read yet.
type Candidate struct {
	Line   string
	Family string // of the fragments or the seed in it; "" for a line of the grammar
	nodes  map[string]bool
	pairs  map[[2]string]bool
}

// NewMaker returns a maker of lines.
func NewMaker(seed uint64, corpus []Seed) *Maker {
	m := &Maker{Rand: rand.New(rand.NewPCG(seed, 14)), seeds: corpus, places: newPlaces(), words: hostile(),
		lines: hostileLines()}
	m.families = slices.Sorted(maps.Keys(m.lines))
	return m
}

// Next makes a line.
func (m *Maker) Next() Candidate {
	switch n := m.IntN(100); {
	case n < 45:
		return m.grammar("")
	case n < 65:
		return m.grammar(m.families[m.IntN(len(m.families))])
	case n < 75:
		family := m.families[m.IntN(len(m.families))]
		g := &gen{Rand: m.Rand}
		text := g.expand(m.lines[family][m.IntN(len(m.lines[family]))])
		if m.IntN(3) == 0 {
			text += m.pick("; ls", "\nls", " && ls a", " | cat", "; cat a.txt", " & ls")
		}
		return Candidate{Line: text, Family: family}
	case n < 88:
		s := m.seeds[m.IntN(len(m.seeds))]
		return Candidate{Line: m.mutate(s.Line), Family: s.Family}
	case n < 92:
		return Candidate{Line: m.soup(), Family: "soup"}
	}
	return m.splice()
}

func (m *Maker) pick(s ...string) string { return s[m.IntN(len(s))] }

// grammar writes a line of the plain language, with fragments of a family in it if
// one is given.
func (m *Maker) grammar(family string) Candidate {
	g := &gen{Rand: m.Rand, t: m.places, nodes: map[string]bool{}, pairs: map[[2]string]bool{}, hostile: family}
	if family != "" {
		g.frags = m.words[family]
	}
	if g.depth = 3 + m.IntN(2); m.IntN(10) == 0 {
		g.depth = 2 // rarely: lines grow twelvefold with each step
	}
	g.tidy = family == "" && m.IntN(2) == 0
	text := g.list()
	if family != "" && (len(g.frags) == 0 || m.IntN(4) == 0) {
		extra := g.expand(m.lines[family][m.IntN(len(m.lines[family]))])
		if m.IntN(2) == 0 {
			text = extra + "\n" + text
		} else {
			text += "\n" + extra
		}
	}
	return Candidate{Line: text, Family: family, nodes: g.nodes, pairs: g.pairs}
}

// alphabet are the bytes that mean something to a shell, and a few that do not.
const alphabet = "$`'\"\\(){}[]<>|&;*?~#=!:@%^+-,./ \t\nabx10"

// mutate changes a few bytes of a line.
func (m *Maker) mutate(line string) string {
	b := []byte(line)
	for range 1 + m.IntN(3) {
		at := m.IntN(len(b) + 1)
		switch m.IntN(4) {
		case 0:
			b = slices.Insert(b, at, alphabet[m.IntN(len(alphabet))])
		case 1:
			if at < len(b) {
				b = slices.Delete(b, at, at+1)
			}
		case 2:
			if at < len(b) {
				b[at] = alphabet[m.IntN(len(alphabet))]
			}
		case 3:
			family := m.families[m.IntN(len(m.families))]
			if frags := m.words[family]; len(frags) > 0 {
				g := &gen{Rand: m.Rand}
				b = slices.Insert(b, at, []byte(g.expand(frags[m.IntN(len(frags))]))...)
			}
		}
	}
	return string(b)
}

// splice joins parts of two lines.
func (m *Maker) splice() Candidate {
	a, b := m.seeds[m.IntN(len(m.seeds))], m.seeds[m.IntN(len(m.seeds))]
	if m.IntN(3) == 0 {
		b = Seed{"", m.grammar("").Line}
	}
	switch m.IntN(3) {
	case 0:
		return Candidate{Line: a.Line + m.pick("; ", "\n", " | ", " && ", " & ", " ") + b.Line, Family: a.Family + b.Family}
	case 1:
		return Candidate{Line: a.Line[:m.IntN(len(a.Line)+1)] + b.Line[m.IntN(len(b.Line)+1):], Family: a.Family + b.Family}
	}
	x, y := strings.Fields(a.Line), strings.Fields(b.Line)
	if len(x) > 0 && len(y) > 0 {
		x[m.IntN(len(x))] = y[m.IntN(len(y))]
	}
	return Candidate{Line: strings.Join(x, " "), Family: a.Family + b.Family}
}

// soup throws the tokens of the language together.
func (m *Maker) soup() string {
	var b strings.Builder
	for range 2 + m.IntN(12) {
		b.WriteString(m.pick("rm", "ls", "cat", "x", "y", "a.txt", " ", " ", " ", " ", ";", "&&", "||", "|", "&", "(", ")",
			"{ ", "; }", "\"", "'", "`", "$(", "<<E\n", "\nE\n", "#", "\\", "\n",
			"! ", "if ", ";then ", ";fi", "$x", "$HOME", "=", "$", "${", "}", "*", ">", "<", "2>&1", "{a,", "b}", "~", "[", "]",
			"-", ">&", ":", "sh -c ", "env ", "for i in a;do ", ";done", "while ", "do ", "echo "))
	}
	return b.String()
}
