package condition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// step is a form that is dear: a loop, or a call of a function.
type step struct {
	op   string
	over sexpr.Value // what a loop goes over
	at   sexpr.Pos
	file string
	// times is how often it goes through its body, which takes each; 0 for what takes its
	// steps at once.
	times, each int
	cost        int
}

// priced notes a form that may be dear.
func (l *lowerer) priced(p sexpr.Pos, op string, over sexpr.Value, times, each, cost int) {
	l.steps = append(l.steps, step{op, over, p, l.src.Name(), times, each, cost})
}

func (s step) String() string {
	if s.over.IsNil() {
		return "(" + s.op + " ...)"
	}
	return "(" + s.op + " " + clip(s.over) + " ...)"
}

// counted is a number of steps, in words.
func counted(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// dear reports a form that may take more steps than any may, and where they go.
func (l *lowerer) dear(p sexpr.Pos, cost int) {
	if cost <= l.b.costs {
		return
	}
	slices.SortStableFunc(l.steps, func(a, b step) int { return cmp.Compare(b.cost, a.cost) })
	var where strings.Builder
	for i, s := range l.steps[:min(3, len(l.steps))] {
		where.WriteString([]string{": ", "; ", "; "}[i])
		at := s.at.String()
		if s.file != l.src.Name() {
			at = s.file + ":" + at
		}
		if s.times > 0 {
			fmt.Fprintf(&where, "%s at %s goes up to %d times through %s", s, at, s.times, counted(s.each))
		} else {
			fmt.Fprintf(&where, "%s at %s takes %s", s, at, counted(s.cost))
		}
	}
	l.fail(p, "at worst %s takes %d steps, expected at most %d%s; go through fewer or shorter lists", l.src.What(), cost,
		l.b.costs, where.String())
}
