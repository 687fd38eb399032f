package condition

import (
	"reflect"

	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/sexpr"
)

// Condition is a compiled condition with what its clause needs to know of it.
type Condition struct {
	*program
	Lists map[string]bool // the deflists it names
	Form  sexpr.Value     // what it says, as a form
}

// Unconditional reports whether the condition holds for every case.
func (c Condition) Unconditional() bool { return c.fixed != nil && *c.fixed }

// Always is the condition that holds for every case.
func (b *Language) Always() Condition {
	yes := true
	return Condition{program: &program{fixed: &yes}, Form: sexpr.T()}
}

// Compile checks and compiles a condition: a form, or a string in expr's syntax.
// tools, if not nil, are the only ones that the action may be on. It reports
// false, having said why, if anything is wrong.
func (b *Language) Compile(src Source, v sexpr.Value, tools []string) (Condition, bool) {
	return b.lowered(&lowerer{b: b, src: src, tools: tools}, v)
}

// CompileTrigger compiles the condition of a whole skill or invariant. One that names
// a tool which nothing declares would never be asked: that is an error.
func (b *Language) CompileTrigger(src Source, v sexpr.Value) (Condition, bool) {
	return b.lowered(&lowerer{b: b, src: src, trigger: true}, v)
}

func (b *Language) lowered(l *lowerer, v sexpr.Value) (Condition, bool) {
	if v.Kind() == sexpr.String {
		form, ok := l.textForm(v)
		if !ok {
			return Condition{}, false
		}
		v = form
	}
	t := l.form(v)
	c := l.truth(&t)
	if t.cost > b.costs {
		l.fail(v.Pos(), "at worst it takes %d steps, expected at most %d: go through fewer or shorter lists", t.cost, b.costs)
	}
	if l.faulty || t.bad {
		return Condition{}, false
	}
	out := Condition{program: &program{pool: b.pool}, Lists: l.lists, Form: v}
	if yes, ok := t.lit.(bool); ok {
		out.fixed = &yes
		return out, true
	}
	if t.lit != nil { // nil, the one other literal that is a condition
		out.fixed = new(bool)
		return out, true
	}
	p, err := b.code(c, reflect.Bool)
	if err != nil {
		l.src.Fail(v.Pos(), err, "%s", err)
		return Condition{}, false
	}
	out.code, out.first = p, firstOf(v)
	return out, true
}

// code is the program of a tree.
func (b *Language) code(c code, want reflect.Kind) (*vm.Program, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.emit.compile(c, want)
}

// BearsOn returns the tools for which the condition may be true, if it begins with
// a test of action.tool, and whether there is more to it than this test. What
// begins a condition is asked first and cannot err, so an index may use it.
func (c Condition) BearsOn() (tools []string, more bool) {
	v := c.Form
	for v.Len() > 1 && v.Items()[0].IsSym("and") {
		more = more || v.Len() > 2
		v = v.Items()[1]
	}
	return toolTest(v), more
}
