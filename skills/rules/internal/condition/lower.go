package condition

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// term is a checked form: the code that computes it, and what is known of it
// when rules are loaded.
type term struct {
	code code
	typ  facts.Type
	pos  sexpr.Pos
	cost int // worst case, in nodes
	// sure says that the value is of this type whatever the action: it needs
	// no further look when a program runs.
	sure bool
	// open says that the value came out of a function and may be, or hold,
	// words of a shell line that are not known.
	open bool
	// found says that it is a list that a function found: an empty one may
	// mean that something was missed.
	found bool
	// lit is the value itself, if it is known; nil if not.
	lit any
	// any says that the term is a name of a definition that is checked by itself, so
	// that it may turn out a literal.
	any bool
	// tool says that it is the tool of an earlier call.
	tool bool
	bad  bool // an error was reported; nothing more is said about it
}

// variable is a name that let gave.
type variable struct {
	name string
	term term
}

// Source is the text that a condition stands in, and is told what is wrong with it.
type Source interface {
	// Name is the file.
	Name() string
	// What names what the form is of, for its price: "deny s/x".
	What() string
	// Text is all of it, as it was read: places in conditions are places there.
	Text() string
	// Fail is told what is wrong at a place, and the cause or nil.
	Fail(at sexpr.Pos, cause error, format string, args ...any)
	// Enough says that so much is wrong that looking on does not help.
	Enough() bool
	// Partial says that some file could not be read, so that names may be missing
	// which it defines.
	Partial() bool
}

// lowerer checks one condition and turns it into expr's syntax tree. Whatever
// it does not know by name does not exist.
type lowerer struct {
	b     *Language
	src   Source
	tools []string // the only tools that the action may be on here; nil: any
	its   []term   // what it stands for, innermost last
	loops int      // that the form stands in, also around a definition
	vars  []variable
	temps int

	lists       map[string]bool // the deflists that were named
	definitions map[string]bool // and the definitions
	within      []use           // the definitions that the form stands in, innermost last
	steps       []step          // that may be dear
	spots       []spot          // of pieces of definitions
	written     int             // forms of definitions so far
	alone       bool            // a definition is checked by itself

	meter *meter // of a calculator's form; nil in rules
	// trigger says that the form decides whether a whole skill or invariant is
	// asked at all.
	trigger bool
	faulty  bool // src was told that something is wrong
}

func (l *lowerer) fail(p sexpr.Pos, format string, args ...any) term {
	l.tell(p, nil, format, args...)
	return term{code: constant(p, false), pos: p, bad: true, cost: 1}
}

// ErrUnknown is the cause that a [Source] is told with a name that nothing has.
var ErrUnknown = errors.New("unknown name")

// tell reports what is wrong, and where the definition is used that it is wrong in.
func (l *lowerer) tell(p sexpr.Pos, cause error, format string, args ...any) {
	l.faulty = true
	l.src.Fail(p, cause, "%s%s", fmt.Sprintf(format, args...), l.usedAt())
}

// unknown reports a name that nothing has.
func (l *lowerer) unknown(v sexpr.Value, format string, args ...any) term {
	l.tell(v.Pos(), ErrUnknown, format, args...)
	return term{code: constant(v.Pos(), false), pos: v.Pos(), bad: true, cost: 1}
}

// form lowers any form.
func (l *lowerer) form(v sexpr.Value) term {
	if l.src.Enough() || l.meter.stopped() || l.tooLong(v.Pos()) {
		return term{code: constant(v.Pos(), false), pos: v.Pos(), bad: true, cost: 1}
	}
	switch v.Kind() {
	case sexpr.Symbol:
		if !isConstant(v) {
			return l.name(v)
		}
	case sexpr.List:
		if v.Len() > 0 && v.Items()[0].Kind() == sexpr.Symbol && !isConstant(v.Items()[0]) {
			return l.metered(l.apply(v))
		}
	}
	return l.literal(v)
}

// value is a term whose value is known.
func (l *lowerer) value(p sexpr.Pos, lit any, cost int) term {
	return term{code: constant(p, lit), typ: typeOf(lit), pos: p, cost: cost, sure: true, lit: lit}
}

// The next few look at a term as one kind of thing. They report a kind that can
// never be right, and mark the term; what may be right is checked when the
// program runs.

func (l *lowerer) wrong(t *term, expected string) code {
	l.fail(t.pos, "found %s, expected %s", described(*t), expected)
	t.bad = true
	return constant(t.pos, false)
}

func described(t term) string {
	if t.lit != nil {
		return value.KindOf(t.lit)
	}
	switch t.typ.Kind {
	case facts.Int:
		return "an integer"
	case facts.Action:
		return "the action itself"
	case facts.Record:
		return "an object"
	}
	return "a " + t.typ.String()
}

func (l *lowerer) truth(t *term) code {
	switch {
	case t.bad, t.typ.Kind == facts.Bool && t.sure:
		return t.code
	case t.typ.Kind == facts.Bool, t.typ.Kind == facts.Any && t.lit == nil:
		return native(t.pos, value.Truth, t.code)
	case isEmptyList(t.lit):
		return constant(t.pos, false)
	}
	return l.wrong(t, "a condition, which is t or false")
}

func isEmptyList(v any) bool {
	xs, ok := v.([]any)
	return ok && len(xs) == 0
}

func (l *lowerer) text(t *term) code {
	switch {
	case t.bad, t.typ.Kind == facts.String && t.sure:
		return t.code
	case t.typ.Kind == facts.String, t.typ.Kind == facts.Any && t.lit == nil:
		return native(t.pos, value.TextOf, t.code)
	}
	return l.wrong(t, "a string")
}

func (l *lowerer) number(t *term) code {
	if t.bad || isNumber(t.typ.Kind) || t.typ.Kind == facts.Any && t.lit == nil {
		return t.code
	}
	return l.wrong(t, "a number")
}

func isNumber(k facts.Kind) bool { return k == facts.Int || k == facts.Number }

// list checks a term that a loop is to go over, and says how many elements it
// may have.
func (l *lowerer) list(t *term) (value.Limit, bool) {
	switch {
	case t.bad:
		return 1, false
	case t.lit != nil:
		if xs, ok := t.lit.([]any); ok {
			return value.Limit(len(xs)), true
		}
	case t.typ.Kind == facts.List && t.typ.Max > 0:
		return value.Limit(t.typ.Max), true
	case t.typ.Kind == facts.List, t.typ.Kind == facts.Any:
		return value.MaxList, true
	}
	l.wrong(t, "a list")
	return 1, false
}

// element is what it stands for in a loop over t.
func (l *lowerer) element(t term) term {
	e := term{code: itCode(t.pos), open: t.open, sure: t.lit != nil, cost: 1, bad: t.bad}
	if t.typ.Elem != nil {
		e.typ = *t.typ.Elem
	} else {
		e.sure = false
	}
	return e
}

// comparable says whether values of two terms can be equal at all.
func comparable(a, b term) bool {
	x, y := a.typ.Kind, b.typ.Kind
	switch {
	case x == facts.Action || y == facts.Action:
		return false
	case x == facts.Any || y == facts.Any || x == y || isNumber(x) && isNumber(y):
		return true
	}
	return isEmptyList(a.lit) && y == facts.Bool || isEmptyList(b.lit) && x == facts.Bool
}

// temp is a fresh name for a value that is needed twice. No symbol spells it.
func (l *lowerer) temp() string {
	l.temps++
	return "$" + strconv.Itoa(l.temps)
}

// key is a literal name of a member.
func (l *lowerer) key(v sexpr.Value) (string, bool) {
	if v.Kind() == sexpr.String || v.Kind() == sexpr.Keyword {
		return v.Text(), true
	}
	l.fail(v.Pos(), "the name of a member is a string or a keyword")
	return "", false
}

// noted is a set with one more name.
func noted(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}
