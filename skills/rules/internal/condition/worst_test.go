package condition

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// tireless writes conditions that hold whatever the case, and come to it the long way:
// nothing in them ends early or errs.
type tireless struct {
	rnd  *rand.Rand
	defs int // that may be used
}

func (w *tireless) pick(of ...string) string { return of[w.rnd.IntN(len(of))] }

func (w *tireless) list() string {
	return w.pick("action.args.long", "action.args.long", "session.calls", "session.roles", "(words)", "(things)",
		`("a" "b" "c")`,
		"odd-ones", "(filter action.args.long t)", "(map (words) it)")
}

// condition draws one; loops is how many may stand inside it.
func (w *tireless) condition(depth, loops int) string {
	inner := func() string { return w.condition(depth-1, loops) }
	if depth == 0 {
		return w.pick("t", "(= 1 1)", "(not nil)", "(has? action.args.long)", "(< 1 2)", `(in "b" ("a" "b"))`,
			`(= action.tool "x")`)
	}
	if loops > 0 && w.rnd.IntN(2) == 0 {
		body := w.condition(depth-1, loops-1)
		switch list := w.list(); w.rnd.IntN(6) {
		case 0:
			return fmt.Sprintf("(every-or-empty %s %s)", list, body)
		case 1:
			return fmt.Sprintf("(none-or-empty %s (not %s))", list, body)
		case 2:
			return fmt.Sprintf("(>= (count %s %s) 0)", list, body)
		case 3:
			return fmt.Sprintf("(>= (sum %s (if %s 1 2)) 0)", list, body)
		case 4:
			return fmt.Sprintf("(not (no-call-since (not %s) t))", body)
		}
		return fmt.Sprintf("(not (some-call-since (= it.tool \"first\") (not %s)))", body)
	}
	switch w.rnd.IntN(6) {
	case 0:
		return fmt.Sprintf("(and %s %s)", inner(), inner())
	case 1:
		return fmt.Sprintf("(not (not %s))", inner())
	case 2:
		return fmt.Sprintf("(if %s %s nil)", inner(), inner())
	case 3:
		return fmt.Sprintf("(let ((n%d %s)) (and n%d %s))", depth, inner(), depth, inner())
	case 4:
		if w.defs > 0 {
			return fmt.Sprintf("(c%d %s)", w.rnd.IntN(w.defs), inner())
		}
	}
	return fmt.Sprintf("(or nil %s)", inner())
}

// worstCase is a case in which every list is as long as may be.
func worstCase(t testing.TB) (*skills.Case, *reference) {
	t.Helper()
	long := make([]sexpr.Value, 256)
	for i := range long {
		long[i] = sexpr.Str("a")
	}
	args := sexpr.Plist("long", sexpr.ListOf(long...))
	a, err := skills.NewAction("x", args, "why")
	require.NoError(t, err)
	words := []sexpr.Value{sexpr.Str("a"), sexpr.Str("w")}
	f := &skills.Facts{Now: 1000, Ctx: sexpr.Plist("words", sexpr.ListOf(append(words, long[:6]...)...))}
	for i := range 256 {
		c := &skills.Call{Tool: "later", Args: args, Decision: "allow"}
		if i == 0 {
			c.Tool = "first"
		}
		f.Session.Turns = append(f.Session.Turns, skills.Turn{Call: c})
		f.Session.Roles = append(f.Session.Roles, "r")
	}
	ref := referenceOf(a, f)
	ref.steps = new(int)
	return skills.NewCase(a, nil, f), ref
}

// hostile compiles n conditions of a generator, with definitions.
func hostile(t testing.TB, n int) (all []Condition, defs []refDefinition) {
	t.Helper()
	b, src := bench(t)
	for _, name := range []string{"first", "later", "x"} {
		b.AddTool(&skills.Tool{Name: name})
	}
	w := &tireless{rnd: rand.New(rand.NewPCG(17, 1))}
	read := func(text string) sexpr.Value {
		v, err := sexpr.Reader{Code: true}.Read("t.lisp", text)
		require.NoError(t, err, text)
		return v
	}
	for ; w.defs < 8; w.defs++ {
		d := refDefinition{name: fmt.Sprintf("c%d", w.defs), params: []string{"x"},
			body: read("(and x " + w.condition(3, min(1, w.defs/4)) + ")")}
		defs = append(defs, d)
		b.Definitions[d.name] = d.definition(src)
	}
	b.CheckDefinitions()
	for len(all) < n {
		src.wrong = nil
		if c, ok := b.Compile(src, read(w.condition(6, 2)), nil); ok && c.fixed == nil {
			all = append(all, c)
		}
	}
	return all, defs
}

// TestWhatIsPricedIsTheWorst: of generated conditions with every form, none takes more
// steps on the longest lists than its price says, and prices are not far off either.
func TestWhatIsPricedIsTheWorst(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 30
	}
	all, defs := hostile(t, n)
	k, ref := worstCase(t)
	ref.defs = defs
	near, named, ordered, dearest := 0, 0, 0, 0
	for _, c := range all {
		*ref.steps = 0
		want, err := ref.condition(c.Form)
		require.NoError(t, err, "%s", c.Form)
		assert.True(t, want, "%s", c.Form)
		got, err := c.Holds(k)
		require.NoError(t, err, "%s", c.Form)
		assert.True(t, got, "%s", c.Form)
		assert.LessOrEqual(t, *ref.steps, c.Cost, "%s", c.Form)
		assert.LessOrEqual(t, c.Cost, 50_000)
		if 2**ref.steps >= c.Cost {
			near++
		}
		dearest = max(dearest, *ref.steps)
		if len(c.Definitions) > 0 {
			named++
		}
		if strings.Contains(c.Form.String(), "-call-since ") {
			ordered++
		}
	}
	t.Logf("%d conditions: %d near their price, the dearest took %d steps; %d use definitions, %d ask for an order",
		len(all),
		near, dearest, named, ordered)
	assert.Greater(t, near, n/4)
	assert.Greater(t, named, n/10)
	assert.Greater(t, ordered, n/20)
}

// BenchmarkWorstCase runs a thousand generated conditions, each near what it may cost, on
// the longest lists; one operation is all of them.
func BenchmarkWorstCase(b *testing.B) {
	all, _ := hostile(b, 1000)
	k, _ := worstCase(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range all {
			if ok, err := c.Holds(k); !ok || err != nil {
				b.Fatal(ok, err)
			}
		}
	}
}
