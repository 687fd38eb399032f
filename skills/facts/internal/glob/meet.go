package glob

import (
	"strings"
	"unicode/utf8"
)

// matches reports whether a path that glob may name matches pattern: both could
// match one path.
func matches(glob, pattern string) (bool, error) {
	return New(glob).Matches(pattern)
}

// meet reports whether some path matches both rows. It walks all pairs of
// places in the two rows that one path can lead to, each pair once.
func meet(a, b row) bool {
	for len(a) > 0 && len(b) > 0 && !a[0].deep && !b[0].deep {
		if !meetSegments(&a[0], &b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && !a[len(a)-1].deep && !b[len(b)-1].deep {
		if !meetSegments(&a[len(a)-1], &b[len(b)-1]) {
			return false
		}
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return allDeep(a) && allDeep(b)
	}
	if a[0].deep && b[len(b)-1].deep || b[0].deep && a[len(a)-1].deep {
		return true // each takes in all that the other says, one behind the other
	}
	p := newPairs(len(a), len(b))
	for {
		i, j, ok := p.next()
		if !ok {
			return false
		}
		if i == len(a) && j == len(b) {
			return true
		}
		deepA, deepB := i < len(a) && a[i].deep, j < len(b) && b[j].deep
		if deepA {
			p.add(i+1, j)
		}
		if deepB {
			p.add(i, j+1)
		}
		if i < len(a) && j < len(b) && (deepA || deepB || meetSegments(&a[i], &b[j])) {
			p.add(i+step(deepA), j+step(deepB))
		}
	}
}

func allDeep(r row) bool {
	for i := range r {
		if !r[i].deep {
			return false
		}
	}
	return true
}

// meetSegments reports whether some name matches both segments; neither is deep.
func meetSegments(a, b *segment) bool {
	switch {
	case a.tokens == nil && b.tokens == nil:
		return a.text == b.text
	case a.tokens == nil:
		return b.matches(a.text)
	case b.tokens == nil:
		return a.matches(b.text)
	}
	ends := strings.HasSuffix(a.end, b.end) || strings.HasSuffix(b.end, a.end)
	return ends && meetTokens(a.tokens, b.tokens)
}

// matches reports whether the tokens match a name. Where a star took too little
// the last one takes one character more: that is enough, since what an earlier
// one could take, the last one can.
func (s *segment) matches(name string) bool {
	if !strings.HasSuffix(name, s.end) {
		return false
	}
	i, at := 0, 0
	lastStar, from := -1, 0
	for at < len(name) {
		r, n := utf8.DecodeRuneInString(name[at:])
		switch {
		case i < len(s.tokens) && s.tokens[i].kind == star:
			lastStar, from = i, at
			i++
		case i < len(s.tokens) && s.tokens[i].takes(r):
			i, at = i+1, at+n
		case lastStar >= 0:
			_, n = utf8.DecodeRuneInString(name[from:])
			from += n
			i, at = lastStar+1, from
		default:
			return false
		}
	}
	for i < len(s.tokens) && s.tokens[i].kind == star {
		i++
	}
	return i == len(s.tokens)
}

// meetTokens is meet within a segment.
func meetTokens(a, b []token) bool {
	p := newPairs(len(a), len(b))
	for {
		i, j, ok := p.next()
		if !ok {
			return false
		}
		if i == len(a) && j == len(b) {
			return true
		}
		runA, runB := i < len(a) && a[i].kind == star, j < len(b) && b[j].kind == star
		if runA {
			p.add(i+1, j)
		}
		if runB {
			p.add(i, j+1)
		}
		if i < len(a) && j < len(b) && overlap(a[i], b[j]) {
			p.add(i+step(runA), j+step(runB))
		}
	}
}

// pairs are the pairs of places in two rows that are still to be looked at.
type pairs struct {
	width int
	seen  []bool
	todo  []int
}

func newPairs(a, b int) *pairs {
	p := &pairs{width: b + 1, seen: make([]bool, (a+1)*(b+1))}
	p.add(0, 0)
	return p
}

func (p *pairs) add(i, j int) {
	if k := i*p.width + j; !p.seen[k] {
		p.seen[k] = true
		p.todo = append(p.todo, k)
	}
}

func (p *pairs) next() (i, j int, ok bool) {
	if len(p.todo) == 0 {
		return 0, 0, false
	}
	k := p.todo[len(p.todo)-1]
	p.todo = p.todo[:len(p.todo)-1]
	return k / p.width, k % p.width, true
}

// step is how far one character takes us: a run stays where it is.
func step(run bool) int {
	if run {
		return 0
	}
	return 1
}

// overlap reports whether one character can match both tokens.
func overlap(a, b token) bool {
	if a.kind == literal {
		return b.takes(a.r)
	}
	if b.kind == literal {
		return a.takes(b.r)
	}
	if a.kind != oneOf || b.kind != oneOf {
		return true // both take some character that is not a slash
	}
	for _, x := range a.class.ranges {
		if b.class.has(x[0]) && a.class.has(x[0]) || b.class.has(x[1]) && a.class.has(x[1]) {
			return true
		}
	}
	for _, x := range b.class.ranges {
		if a.class.has(x[0]) && b.class.has(x[0]) || a.class.has(x[1]) && b.class.has(x[1]) {
			return true
		}
	}
	return a.class.not || b.class.not // may be; unsure counts as yes
}

func (t token) takes(r rune) bool {
	switch t.kind {
	case literal:
		return t.r == r
	case oneOf:
		return t.class.has(r)
	case wild, star:
	}
	return r != '/'
}
