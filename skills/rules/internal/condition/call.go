package condition

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/look"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// call lowers a call of a function of package facts.
func (l *lowerer) call(v sexpr.Value) term {
	items := v.Items()
	name, args := items[0].Text(), items[1:]
	fn, ok := l.b.functions[name]
	if !ok {
		return l.unknownCall(v)
	}
	if l.meter == nil { // rules are loaded; a metered form is only tried out
		l.b.used[name] = true
	}
	if len(args) > len(fn.Params) || len(args) < len(fn.Params)-fn.Optional {
		return l.fail(v.Pos(), "%s takes %s, found %d: %s", name, arity(len(fn.Params)-fn.Optional, len(fn.Params)),
			len(args), fn.Signature())
	}
	out := term{typ: fn.Result, pos: v.Pos(), cost: 1 + fn.Cost}
	codes := make([]code, len(args))
	for i, a := range args {
		t := l.form(a)
		out.cost += t.cost
		if !t.bad {
			out.cost += fn.PerItem * l.items(t)
			l.argument(fn, i, &t)
			l.prepare(&fn.Params[i], &t)
		}
		out.bad = out.bad || t.bad
		codes[i] = t.code
	}
	l.priced(v.Pos(), name, sexpr.Nil(), 0, 0, out.cost)
	switch fn.Result.Kind {
	case facts.Bool, facts.Int, facts.Number:
		out.sure = true
	case facts.List:
		out.open, out.found = true, true
	default:
		out.open = true
	}
	out.code = lookup(v.Pos(), name, codes)
	return out
}

// items is how many elements an argument has at most, if it is a list.
func (l *lowerer) items(t term) int {
	switch xs, ok := t.lit.([]any); {
	case ok:
		return len(xs)
	case t.typ.Kind == facts.List && t.typ.Max > 0:
		return t.typ.Max
	case t.typ.Kind == facts.List, t.typ.Kind == facts.Any && t.lit == nil:
		return value.MaxList
	}
	return 0
}

// argument reports what is wrong with an argument as far as that is known when
// rules are loaded.
func (l *lowerer) argument(fn *facts.Function, i int, t *term) {
	p := &fn.Params[i]
	if !mayBe(*t, p.Type) {
		l.wrong(t, fmt.Sprintf("%s as %s of %s", nounOf(p.Type), p.Name, fn.Name))
		return
	}
	if t.lit == nil {
		if p.Literal && !t.any {
			l.fail(t.pos, "%s of %s is a literal or the name of a list", p.Name, fn.Name)
		}
		return
	}
	if s, ok := t.lit.(string); ok && p.Words != nil && !slices.Contains(p.Words, s) {
		l.fail(t.pos, "%s of %s is %s, found %q%s", p.Name, fn.Name, Listed(":", p.Words), s, spell.DidYouMean(s, p.Words))
		return
	}
	if err := fits(p, t.lit); err != nil {
		l.fail(t.pos, "%s", err)
	}
	if s, ok := t.lit.(string); ok {
		switch p.Names {
		case facts.ATool:
			l.toolName(t.pos, s, true)
		case facts.ABudget:
			l.declaredBudget(t.pos, s)
		}
	}
	if p.Check != nil {
		if err := p.Check(t.lit); err != nil {
			l.fail(t.pos, "%s of %s: %s", p.Name, fn.Name, err)
		}
	}
}

// prepare makes a literal ready for its function.
func (l *lowerer) prepare(p *facts.Param, t *term) {
	if p.Prepare != nil && t.lit != nil && !t.bad {
		t.code = constant(t.pos, prepared{p.Prepare(t.lit)})
	}
}

// prepared is an argument that a function made ready when rules were loaded.
type prepared struct{ value any }

func nounOf(t facts.Type) string {
	switch t.Kind {
	case facts.Int:
		return "an integer"
	case facts.Action:
		return "the word action"
	}
	return "a " + t.String()
}

// mayBe reports whether a term can turn out as a value of a type.
func mayBe(t term, want facts.Type) bool {
	k := t.typ.Kind
	switch {
	case want.Kind == facts.Action || k == facts.Action:
		return want.Kind == k
	case want.Kind == facts.Any, k == facts.Any && t.lit == nil, want.Kind == k:
		return true
	}
	return want.Kind == facts.Number && k == facts.Int
}

// caller makes a function of package facts callable by programs. Its arguments
// are the view and then the function's own.
func caller(fn *facts.Function) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		view, args := args[0].(*look.View), args[1:]
		for i := range args {
			if ready, ok := args[i].(prepared); ok {
				args[i] = ready.value
				continue
			}
			p := &fn.Params[i]
			v, err := readArgument(p, args[i])
			if err != nil {
				return nil, err
			}
			if err := fits(p, v); err != nil {
				return nil, err
			}
			args[i] = v
		}
		out, err := fn.Call(view.Case, args)
		if err != nil {
			return nil, err
		}
		if u, ok := out.(facts.Unknown); ok {
			return nil, u
		}
		if !isOf(out, fn.Result.Kind) {
			return nil, fmt.Errorf("%s gave %s", fn.Name, value.KindOf(out))
		}
		return out, nil
	}
}

// readArgument is what a function is handed: words of a shell line as they are
// only where it knows what to do with them.
func readArgument(p *facts.Param, v any) (any, error) {
	if !p.Pattern {
		return facts.Read(v)
	}
	if u, ok := v.(facts.Unknown); ok {
		return nil, u
	}
	return v, nil
}

// fits checks the kind of an argument.
func fits(p *facts.Param, v any) error {
	if p.Pattern {
		switch v.(type) {
		case facts.Word, facts.Pattern:
			return nil
		}
	}
	if !isOf(v, p.Type.Kind) {
		return fmt.Errorf("found %s as %s, expected %s", value.KindOf(v), p.Name, nounOf(p.Type))
	}
	if s, ok := v.(string); ok && p.Words != nil && !slices.Contains(p.Words, s) {
		return fmt.Errorf("%s is %s", p.Name, Listed(":", p.Words))
	}
	if xs, ok := v.([]any); ok && p.Type.Elem != nil {
		for _, x := range xs {
			switch x.(type) {
			case facts.Word, facts.Pattern, facts.Unknown:
				continue // the function's business
			}
			if !isOf(x, p.Type.Elem.Kind) {
				return fmt.Errorf("found %s in %s, expected %s", value.KindOf(x), p.Name, nounOf(p.Type))
			}
		}
	}
	return nil
}

// isOf reports whether a value is of a kind. A string may be a word of a shell
// line.
func isOf(v any, k facts.Kind) bool {
	ok := true
	switch k {
	case facts.Bool:
		_, ok = v.(bool)
	case facts.Int:
		_, ok = v.(int64)
	case facts.Number:
		_, ok = v.(float64)
		if !ok {
			_, ok = v.(int64)
		}
	case facts.String:
		switch v.(type) {
		case string, facts.Word, facts.Pattern:
		default:
			ok = false
		}
	case facts.List:
		_, ok = v.([]any)
	case facts.Record:
		_, ok = v.(map[string]any)
	case facts.Any, facts.Action:
	}
	return ok
}
