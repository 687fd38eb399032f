package condition

import (
	"reflect"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// Computed is a form with any kind of result, compiled for a rule.
type Computed struct {
	Cost int // worst case, in steps

	program *program // nil if the form stands for a value
	term    term
	pos     sexpr.Pos
}

// CompileValue checks and compiles a form whose result is a value, as [Language.Compile]
// does with a condition. A string is itself, and no text of expr's.
func (b *Language) CompileValue(src Source, v sexpr.Value, tools []string) (Computed, bool) {
	l := &lowerer{b: b, src: src, tools: tools}
	t := l.form(v)
	if t.typ.Kind == facts.Action && !t.bad {
		t = l.fail(v.Pos(), "the action itself is not a value; write action.args or a part of it")
	}
	l.dear(v.Pos(), t.cost)
	if l.faulty || t.bad {
		return Computed{}, false
	}
	out := Computed{Cost: t.cost, term: t, pos: v.Pos()}
	if t.lit != nil {
		return out, true
	}
	code, err := b.code(t.code, reflect.Invalid)
	if err != nil {
		l.fail(v.Pos(), "this cannot be compiled, by a mistake of ours: %s", err)
		return Computed{}, false
	}
	out.program = &program{code: code, pool: b.pool, spots: l.spots}
	return out, true
}

// Value computes the form on a case. An error is an *[Unjudged], or something else if the
// program itself failed, which is a mistake of ours.
func (c Computed) Value(on *skills.Case) (sexpr.Value, error) {
	native := c.term.lit
	if c.program != nil {
		var err error
		if native, err = c.program.run(on); err != nil {
			return sexpr.Value{}, err
		}
	}
	out, err := value.Form(native)
	if err == nil {
		err = sexpr.CheckJSON(out)
	}
	if err != nil {
		return sexpr.Value{}, &Unjudged{Pos: c.pos, Err: err}
	}
	return out, nil
}

// Described names the kind of the result: "a string".
func (c Computed) Described() string { return described(c.term) }

// MayBe reports whether the result may be a value of a parameter's type, as far as that
// is known when rules are loaded.
func (c Computed) MayBe(t *skills.Type) bool {
	want := typeOfParam(t)
	switch lit := c.term.lit.(type) {
	case skills.Null:
		return t.Nullable || t.Kind == skills.KindAny
	case string:
		if t.Kind == skills.KindEnum && !t.Nullable {
			return slices.Contains(t.Enum, lit)
		}
	}
	if c.term.typ.Kind == facts.Number && c.term.lit == nil && want.Kind == facts.Int {
		return true // a sum of integers, for all we know
	}
	return mayBe(c.term, want)
}
