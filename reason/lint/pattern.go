package lint

import (
	"fmt"
	"regexp/syntax"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxProgram is how many instructions a pattern may become. Matching looks at each of them
// for each character, at worst: a thousand take some seconds on a megabyte.
const maxProgram = 500

// patterns looks for patterns that repeat so much that a long text takes seconds.
func (l *linter) patterns(c *clause) {
	for _, p := range append(patternsOf(c.when), patternsOf(c.field("set"))...) {
		n := program(p.Text())
		if n <= maxProgram {
			continue
		}
		ways, _ := l.ways(c.whole())
		w := l.first(c, applies, l.witnesses(ways, false))
		if w == nil {
			around, _ := l.ways(c.trigger)
			w = l.first(c, passes, l.witnesses(around, true))
		}
		if w == nil {
			continue
		}
		l.report(c, p.Pos(), costly, fmt.Sprintf("the pattern becomes %d instructions, and each character of a text "+
			"may pass them all", n), "repeat less: bound the length with (len TEXT) and use + or *", w)
	}
}

// patternsOf are the literal patterns that a form matches with.
func patternsOf(v sexpr.Value) (out []sexpr.Value) {
	items := v.Items()
	if len(items) == 0 {
		return nil
	}
	if (items[0].IsSym("matches?") || items[0].IsSym("replace")) && len(items) > 2 && items[2].Kind() == sexpr.String {
		out = append(out, items[2])
	}
	for _, x := range items {
		out = append(out, patternsOf(x)...)
	}
	return out
}

// program is how many instructions a pattern becomes; 0 if it is none.
func program(pattern string) int {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	p, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	return len(p.Inst)
}
