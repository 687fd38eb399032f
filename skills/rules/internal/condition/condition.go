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
	// Definitions are those it uses, and those that these use.
	Definitions map[string]bool
	Form        sexpr.Value // what it says, as a form
	Cost        int         // worst case, in steps

	tools []string // see BearsOn
	more  bool
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
	l.dear(v.Pos(), t.cost)
	if l.faulty || t.bad {
		return Condition{}, false
	}
	out := Condition{program: &program{pool: b.pool, spots: l.spots}, Lists: l.lists, Definitions: l.definitions, Form: v,
		Cost: t.cost}
	out.tools, out.more = b.bearsOn(v)
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
		l.fail(v.Pos(), "this cannot be compiled, by a mistake of ours: %s", err)
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
func (c Condition) BearsOn() (tools []string, more bool) { return c.tools, c.more }

// Within returns those of tools on which the condition may be true, as far as a test that
// begins it tells; tools nil means any.
func (c Condition) Within(tools []string) []string { return narrowed(tools, c.tools) }

func (b *Language) bearsOn(v sexpr.Value) (tools []string, more bool) {
	for v = b.opened(v); v.Len() > 1 && v.Items()[0].IsSym("and"); v = b.opened(v.Items()[1]) {
		more = more || v.Len() > 2
	}
	return toolTest(v), more
}
