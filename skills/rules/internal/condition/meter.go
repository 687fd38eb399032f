package condition

import (
	"context"
	"errors"
	"fmt"
	"regexp/syntax"
)

// meter bounds what one form of a calculator takes. The static cost of rules
// counts steps, whatever they work on, which is enough for what their authors
// write; anybody may type a form, and a step over a long text takes long.
type meter struct {
	ctx  context.Context
	text int // bytes of text that its steps gave
	code int // instructions of its patterns
}

// The most that one form may take.
const (
	maxMeteredText    = 64 << 20
	maxMeteredPattern = 100_000
)

var (
	errMuchText    = errors.New("it makes too much text; go through fewer elements")
	errMuchPattern = fmt.Errorf("the patterns of this form come to more than %d instructions", maxMeteredPattern)
)

// stopped reports whether nobody waits for the form any more.
func (m *meter) stopped() bool { return m != nil && m.ctx.Err() != nil }

// pattern counts one more pattern.
func (m *meter) pattern(text string) error {
	if m == nil {
		return nil
	}
	if m.code > maxMeteredPattern {
		return errMuchPattern
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return err
	}
	code, err := syntax.Compile(re.Simplify())
	if err != nil {
		return err
	}
	if m.code += len(code.Inst); m.code > maxMeteredPattern {
		return errMuchPattern
	}
	return nil
}

// metered has a call report what it gave.
func (l *lowerer) metered(t term) term {
	if l.meter == nil || t.bad || t.lit != nil {
		return t
	}
	t.code, t.sure = native(t.pos, report, constant(t.pos, l.meter), t.code), false
	return t
}

// report is called with each result of an operator or function.
func report(by, v any) any {
	m := by.(*meter)
	if m.ctx.Err() != nil {
		panic(context.Cause(m.ctx))
	}
	if s, ok := v.(string); ok {
		if m.text += len(s); m.text > maxMeteredText {
			panic(errMuchText)
		}
	}
	return v
}
