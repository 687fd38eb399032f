package glob

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Set is a list of path patterns made ready when rules are loaded. It is
// immutable and safe for concurrent use.
type Set struct{ exact, folded *index }

// index finds the patterns that may match a path by the last byte of both.
// What it finds for a plain path, doublestar confirms: it has the last word.
type index struct {
	patterns []indexed
	rows     []indexedRow
	byEnd    [256][]int32 // rows of which every match ends with this byte
	anyEnd   []int32      // the other rows
	odd      []int        // patterns that a plain path must always be held against
}

type indexed struct {
	text string
	home bool // begins with ~, which means a home that only the facts tell
}

type indexedRow struct {
	row
	pattern int
	need    string // stands in every plain path that matches
}

// Prepare makes a checked list of patterns ready. It returns the list as it
// is if there is anything about it that it does not know how to prepare.
func Prepare(v any) any {
	items, ok := v.([]any)
	if !ok {
		return v
	}
	exact, folded := newGlobIndex(items, false), newGlobIndex(items, true)
	if exact == nil || folded == nil {
		return v
	}
	return &Set{exact, folded}
}

func newGlobIndex(items []any, fold bool) *index {
	x := &index{}
	for i, item := range items {
		p, ok := item.(string)
		if !ok {
			return nil
		}
		if fold {
			p = strings.ToLower(p)
		}
		rows, err := Compile(p)
		if err != nil || !doublestar.ValidatePattern(p) {
			return nil
		}
		x.patterns = append(x.patterns, indexed{p, p == "~" || strings.HasPrefix(p, "~/")})
		if isOdd(p, rows) {
			x.odd = append(x.odd, i)
		}
		for _, r := range rows {
			x.file(r, i)
		}
	}
	return x
}

func (x *index) file(r row, pattern int) {
	n := int32(len(x.rows))
	x.rows = append(x.rows, indexedRow{r, pattern, r.longest()})
	if c, ok := r[len(r)-1].lastByte(); ok {
		x.byEnd[c] = append(x.byEnd[c], n)
	} else {
		x.anyEnd = append(x.anyEnd, n)
	}
}

// lastByte is the byte that every match of the segment ends with, if there is
// one.
func (s *segment) lastByte() (byte, bool) {
	end := s.end
	if !s.deep && s.tokens == nil {
		end = s.text
	}
	if end == "" {
		return 0, false
	}
	return end[len(end)-1], true
}

// longest is the longest segment that stands in every match of the row.
func (r row) longest() string {
	most := ""
	for i := range r {
		if len(r[i].text) > len(most) {
			most = r[i].text
		}
	}
	return most
}

// isOdd reports whether doublestar may read a pattern otherwise than we do, so
// that our finding no match proves nothing.
func isOdd(p string, rows []row) bool {
	if !utf8.ValidString(p) || strings.ContainsAny(p, "\\\uFFFD") {
		return true
	}
	for rest, in := p, false; rest != ""; rest = rest[1:] {
		switch c := rest[0]; {
		case c == '[' && in, in && strings.IndexByte("{},/:", c) >= 0:
			return true
		case c == '[':
			in = true
		case c == ']':
			in = false
		}
	}
	return slices.ContainsFunc(rows, func(r row) bool {
		last := r[len(r)-1]
		if !last.deep && last.tokens == nil && last.text == "" {
			return true // ends in a slash
		}
		return slices.ContainsFunc(r, func(s segment) bool { return slices.ContainsFunc(s.tokens, isOddClass) })
	})
}

// isOddClass reports whether a class has a range that ends before it begins, or
// may take in the slash.
func isOddClass(t token) bool {
	return t.class.not || slices.ContainsFunc(t.class.ranges, func(x [2]rune) bool {
		return x[0] > x[1] || x[0] <= '/' && '/' <= x[1]
	})
}

// Any reports whether one of globs may match one of the patterns.
func (g *Set) Any(globs []Subject, home string, fold bool) (bool, error) {
	x := g.exact
	home = Escape(home)
	if fold {
		x, home = g.folded, strings.ToLower(home)
	}
	for i := range globs {
		glob := &globs[i]
		if fold {
			glob = New(strings.ToLower(glob.Text))
		}
		if yes, err := x.any(glob, home); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// any reports whether glob may match one of the patterns. home is escaped.
func (x *index) any(glob *Subject, home string) (bool, error) {
	var yes bool
	var err error
	if glob.ready().one {
		yes, err = x.anyPlain(glob.plain, home)
	} else {
		yes = x.anyGlob(glob, home)
	}
	if yes || err != nil || home == "" {
		return yes, err
	}
	return x.anyHome(glob, home)
}

func (x *index) anyGlob(glob *Subject, home string) bool {
	if glob.wild {
		return len(x.patterns) > 0 // as in matches
	}
	for _, r := range glob.rows {
		for n := range x.candidates(&r[len(r)-1]) {
			if y := &x.rows[n]; !x.replaced(y.pattern, home) && meet(r, y.row) {
				return true
			}
		}
	}
	return false
}

func (x *index) anyPlain(text, home string) (bool, error) {
	for _, i := range x.odd {
		if x.replaced(i, home) {
			continue
		}
		if yes, err := doublestar.Match(x.patterns[i].text, text); yes || err != nil {
			return yes, err
		}
	}
	var whole row // of text, once it is needed
	last := rowOf(text[strings.LastIndexByte(text, '/')+1:])[0]
	for n := range x.candidates(&last) {
		y := &x.rows[n]
		if x.replaced(y.pattern, home) || !strings.Contains(text, y.need) {
			continue
		}
		if end := &y.row[len(y.row)-1]; !end.deep && !meetSegments(&last, end) {
			continue
		}
		if whole == nil {
			whole = rowOf(text)
		}
		if !meet(whole, y.row) {
			continue
		}
		if yes, err := doublestar.Match(x.patterns[y.pattern].text, text); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// candidates are the rows that may match something whose last segment is s.
func (x *index) candidates(s *segment) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		c, ok := s.lastByte()
		if !ok {
			for n := range x.rows {
				if !yield(int32(n)) {
					return
				}
			}
			return
		}
		for _, rows := range [2][]int32{x.byEnd[c], x.anyEnd} {
			for _, n := range rows {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// replaced reports whether a pattern is left to anyHome.
func (x *index) replaced(pattern int, home string) bool {
	return home != "" && x.patterns[pattern].home
}

// anyHome holds glob against the patterns that begin with ~, now that it is
// known what that means.
func (x *index) anyHome(glob *Subject, home string) (bool, error) {
	for _, p := range x.patterns {
		if !p.home {
			continue
		}
		if yes, err := glob.Matches(home + p.text[1:]); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}
