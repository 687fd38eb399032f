package mine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/record"
)

// gram is a sequence of kinds of calls.
type gram struct {
	shapes  []int
	support int // successful traces that have it
	in      int // traces that have it
	at      []place
	last    int // the trace that was counted last, from 1
}

// place is where a sequence stands first in a successful trace.
type place struct {
	t     *trace
	begin int
}

func (p place) calls(n int) []*call { return p.t.calls[p.begin : p.begin+n] }

// grams finds the sequences of n calls that have enough support, level by level: a sequence is
// only counted where the shorter ones that it begins and ends with are frequent. Of each trace
// it keeps which sequence begins at which call.
func (m *Miner) grams() (out []*gram) {
	before := make([][]*gram, len(m.done)) // by trace and call: the sequence that begins there
	for i, t := range m.done {
		before[i] = make([]*gram, len(t.calls))
	}
	for n := 1; n <= longest; n++ {
		level, some := m.level(n, before)
		if !some {
			break
		}
		if n >= shortest {
			out = append(out, level...)
		}
	}
	return out
}

// step names a longer sequence: the one that it begins with, and its last call.
type step struct {
	begin *gram
	last  int
}

// level finds the sequences of n calls from those of n-1, and puts them in their place.
func (m *Miner) level(n int, at [][]*gram) (out []*gram, some bool) {
	known := map[step]*gram{}
	for i, t := range m.done {
		next := make([]*gram, len(t.calls))
		for j := 0; j+n <= len(t.calls); j++ {
			if n > 1 && (at[i][j] == nil || at[i][j+1] == nil) {
				continue
			}
			s := step{at[i][j], t.calls[j+n-1].shape}
			g := known[s]
			if g == nil {
				g = &gram{}
				if n > 1 {
					g.shapes = slices.Clone(s.begin.shapes)
				}
				g.shapes = append(g.shapes, s.last)
				known[s] = g
			}
			next[j] = g
			if g.last != i+1 {
				g.last = i + 1
				g.count(t, j)
			}
		}
		at[i] = next
	}
	for i := range at {
		for j, g := range at[i] {
			if g != nil && g.support < m.opt.Support {
				at[i][j] = nil
			}
		}
	}
	for _, g := range known {
		if g.support >= m.opt.Support {
			out, some = append(out, g), true
		}
	}
	slices.SortFunc(out, func(a, b *gram) int { return slices.Compare(a.shapes, b.shapes) })
	return out, some
}

func (g *gram) count(t *trace, begin int) {
	g.in++
	if t.ok {
		g.support++
		g.at = append(g.at, place{t, begin})
	}
}

// within reports whether a sequence stands in another.
func (g *gram) within(other *gram) bool {
	for i := 0; i+len(g.shapes) <= len(other.shapes); i++ {
		if slices.Equal(g.shapes, other.shapes[i:i+len(g.shapes)]) {
			return true
		}
	}
	return false
}

// Candidate is a sequence that people may make a capability of.
type Candidate struct {
	ID       string // of the capability
	Version  string
	Text     string // the defcapability, with comments for the person who reviews it
	Sequence string // the kinds of its calls, in order
	Support  int    // successful traces that have it
	Success  float64
	Saving   Saving
	Known    bool // it is on record with this text
}

// Saving compares what a sequence took as single calls with what it would take as one
// capability, in the first of dollars, tokens and time that is on record.
type Saving struct {
	Unit         string // "usd", "tokens" or "ms"
	Before, With float64
}

// Ratio is which part is left.
func (s Saving) Ratio() float64 {
	if s.Before == 0 {
		return 1
	}
	return s.With / s.Before
}

// LeftOut is a sequence with enough support that did not become a candidate.
type LeftOut struct {
	Sequence string
	Support  int
	Why      string
}

// Result is what was mined.
type Result struct {
	Traces, Successful int // that were answered and ran at least two calls
	Calls              int
	Candidates         []Candidate
	Left               []LeftOut
}

// Mine returns the candidates in what was added so far, the longest sequences first.
func (m *Miner) Mine() Result {
	out := Result{Traces: len(m.done)}
	for _, t := range m.done {
		out.Calls += len(t.calls)
		if t.ok {
			out.Successful++
		}
	}
	all := m.grams()
	slices.SortStableFunc(all, func(a, b *gram) int {
		return cmp.Or(cmp.Compare(len(b.shapes), len(a.shapes)), cmp.Compare(b.support, a.support),
			cmp.Compare(m.name(a), m.name(b)))
	})
	var taken []*gram
	for _, g := range all {
		i := slices.IndexFunc(taken, func(x *gram) bool { return g.within(x) && g.support == x.support })
		if i >= 0 {
			out.Left = append(out.Left, LeftOut{m.name(g), g.support, "it is part of " + m.name(taken[i])})
			continue
		}
		c, why := m.candidate(g)
		if why != "" {
			out.Left = append(out.Left, LeftOut{m.name(g), g.support, why})
			continue
		}
		c.Known = m.known[record.ContentDigest(c.Text).String()]
		taken = append(taken, g)
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

// name is a sequence as people read it: tools, and how their commands begin. It holds no
// value that only an output may have said.
func (m *Miner) name(g *gram) string {
	tools := make([]string, len(g.shapes))
	for i, c := range g.at[0].calls(len(g.shapes)) {
		tools[i] = c.tool
		for _, l := range c.leaves {
			for n, w := range l.words {
				if len(l.words) == 1 || n == 2 || w.alien || w.user || !plainWord.MatchString(w.text) {
					break
				}
				tools[i] += " " + w.text
			}
		}
	}
	return strings.Join(tools, " > ")
}

// candidate makes a sequence one, or says why not.
func (m *Miner) candidate(g *gram) (c Candidate, why string) {
	if rate := float64(g.support) / float64(g.in); rate < m.opt.Success {
		return c, fmt.Sprintf("%d of the %d traces that have it succeeded: %.2f, expected at least %.2f", g.support, g.in,
			rate, m.opt.Success)
	}
	saving := g.saving()
	if saving.Ratio() > m.opt.Cost {
		return c, fmt.Sprintf("as one call it would take %.2f of what it took in %s, expected at most %.2f", saving.Ratio(),
			saving.Unit, m.opt.Cost)
	}
	p, why := m.general(g)
	if why != "" {
		return c, why
	}
	c = Candidate{Version: "0.1.0", Sequence: m.name(g), Support: g.support,
		Success: float64(g.support) / float64(g.in), Saving: saving}
	c.ID, c.Text = p.write(c)
	return c, ""
}

// saving compares the questions that proposed the calls with one, which is to propose the
// capability. In time, what ran is added to both.
func (g *gram) saving() Saving {
	var asked, one thought
	var ran float64
	for _, p := range g.at {
		seen := map[int]bool{}
		var sum thought
		for _, c := range p.calls(len(g.shapes)) {
			ran += float64(c.ended - c.began)
			if c.thought >= 0 && !seen[c.thought] {
				seen[c.thought] = true
				x := p.t.thoughts[c.thought]
				sum = thought{sum.cost + x.cost, sum.tokens + x.tokens, sum.took + x.took}
			}
		}
		n := max(len(seen), 1)
		asked = thought{asked.cost + sum.cost, asked.tokens + sum.tokens, asked.took + sum.took}
		one = thought{one.cost + sum.cost/float64(n), one.tokens + sum.tokens/int64(n), one.took + sum.took/int64(n)}
	}
	n := float64(len(g.at))
	switch {
	case asked.cost > 0:
		return Saving{"usd", asked.cost / n, one.cost / n}
	case asked.tokens > 0:
		return Saving{"tokens", float64(asked.tokens) / n, float64(one.tokens) / n}
	case asked.took > 0:
		return Saving{"ms", (float64(asked.took) + ran) / n / 1e6, (float64(one.took) + ran) / n / 1e6}
	}
	// No question is on record. What lies between the calls is then what was thought and decided.
	var whole float64
	for _, p := range g.at {
		calls := p.calls(len(g.shapes))
		whole += float64(calls[len(calls)-1].ended - calls[0].decided)
	}
	return Saving{"ms", whole / n / 1e6, ran / n / 1e6}
}
