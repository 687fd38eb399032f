package rules

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestCalculator(t *testing.T) {
	calc := load(t, `(deflist secret-paths "**/.env" "**/*.pem")`).Calculator()
	on := skills.NewCase(nil, nil, &skills.Facts{Now: 7,
		Session: skills.Session{ID: "s", Principal: "ann", Turns: []skills.Turn{{User: "hi"}}}})
	compute := func(src string) (any, error) {
		v, err := sexpr.Reader{Code: true}.Read("form", src)
		require.NoError(t, err, src)
		return calc.Compute(t.Context(), v, on)
	}
	for src, want := range map[string]any{
		"(+ 1 2)": int64(3), "(/ 7 2)": 3.5, "(+ 1 2.5)": 3.5, `(= "a" :a)`: true, `(upper "ä")`: "Ä", "now": int64(7),
		`(let ((x 3)) (* x x))`: int64(9), `(map '(1 2) (+ it 1))`: []any{int64(2), int64(3)}, "session.principal": "ann",
		"session.user-text":                 "hi",
		`(hour now "Europe/Berlin")`:        int64(1),
		`(max 1 (floor 2.5))`:               int64(2),
		`(replace "a1" "[0-9]" "#")`:        "a#",
		`(glob-any? "a/.env" secret-paths)`: true, `(map (shell "ls -l; rm x") it.name)`: []any{"ls", "rm"},
		"'(1 2)": []any{int64(1), int64(2)},
		`"text"`: "text", "t": true,
	} {
		got, err := compute(src)
		require.NoError(t, err, src)
		assert.Equal(t, want, got, src)
	}
	for src, want := range map[string]string{
		`(+ 1 "a")`: "1:6", "(/ 1 0)": "zero", "(nope 1)": "nope", "nope": "nope", "(+ 1)": "takes", "action": "not a value",
		"action.tool": "", `(+ 9223372036854775807 1)`: "", `(map '(1 2) (map '(1 2) (map '(1 2) it)))`: "",
		"signal.nope": "nope",
	} {
		_, err := compute(src)
		require.Error(t, err, src)
		assert.ErrorContains(t, err, want, src)
	}
	lines, err := compute(`(shell "ls -l")`) // a record is printed without what only functions read
	require.NoError(t, err)
	form, err := calc.Form(lines)
	require.NoError(t, err)
	assert.Equal(t, `((:around nil :flags ("-l") :name "ls" :operands nil :redirects nil :via nil))`, form.String())
	assert.Equal(t, "a list", calc.Kind(lines))

	_, err = compute("facts.env.nope")
	var u *Unjudged
	assert.True(t, errors.As(err, &u), "%v", err)
	// One rulebook, many people.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := compute("(+ 1 2)")
				assert.NoError(t, err)
				assert.Equal(t, int64(3), got)
				_, err = compute("(+ 1 nope)")
				assert.Error(t, err)
			}
		})
	}
	wg.Wait()
}

// What a condition of the rule files comes to is written out with its arguments.
func TestCalculatorWritesConditionsOut(t *testing.T) {
	calc := load(t, `(defcondition over (x limit) (and (> x limit) (< limit 9)))
(defcondition plain () (> now 3))`).Calculator()
	for src, want := range map[string]string{
		"(over action.args.n (+ 1 2))": "(and (> action.args.n (+ 1 2)) (< (+ 1 2) 9))",
		"(plain)":                      "(> now 3)",
		"(over 1)":                     "", // one argument is missing
		"(> 1 2)":                      "", "over": "", "nil": "", "(1 2)": "",
	} {
		form, err := sexpr.Reader{Code: true}.Read("form", src)
		require.NoError(t, err)
		got, ok := calc.Written(form)
		assert.Equal(t, want != "", ok, src)
		if ok {
			assert.Equal(t, want, got.String(), src)
		}
	}
}

// A person who types a form is not an author of rules: what it works on counts, too.
// A fault inside a named condition is told where that stands, and not about the form.
func TestCalculatorOnAConditionThatCannotTakeTheValue(t *testing.T) {
	calc := load(t, `(defcondition low? (text) "It is in small letters." (= (lower text) text))`).Calculator()
	v, err := sexpr.Reader{Code: true}.Read("form", "(low? 20)")
	require.NoError(t, err)
	_, err = calc.Compute(t.Context(), v, skills.NewCase(nil, nil, &skills.Facts{Now: 7}))
	assert.ErrorContains(t, err, "cannot take these values")
}

func TestCalculatorIsMetered(t *testing.T) {
	crashtest.Long(t)
	calc := load(t, `(deflist names "a" "b")`).Calculator()
	compute := func(ctx context.Context, src string) error {
		v, err := sexpr.Reader{Code: true}.Read("form", src)
		require.NoError(t, err)
		_, err = calc.Compute(ctx, v, skills.NewCase(nil, nil, nil))
		return err
	}
	ninety := "'(" + strings.Repeat("1 ", 90) + ")"
	nested := func(body string) string { return "(map " + ninety + " (map " + ninety + " " + body + "))" }
	long := strconv.Quote(strings.Repeat("x", 200_000))
	assert.ErrorContains(t, compute(t.Context(), "(len "+nested("(upper "+long+")")+")"), "too much text")
	heavy := strings.Repeat("(.{999})", 60)
	assert.NoError(t, compute(t.Context(), fmt.Sprintf(`(matches? "a" %q)`, heavy)))
	assert.ErrorContains(t, compute(t.Context(), fmt.Sprintf(`(or (matches? "a" %q) (matches? "b" %q))`, heavy, heavy)),
		"instructions")
	why := errors.New("nobody waits")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	assert.ErrorIs(t, compute(ctx, "(nope)"), why)
	var list ErrorList
	require.ErrorAs(t, compute(t.Context(), "(nope)"), &list)
	assert.ErrorIs(t, list[0], ErrUnknown)
	ctx, cancel = context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() { done <- compute(ctx, nested("(matches? "+long+` "(x+)*y")`)) }()
	cancel(why)
	assert.ErrorIs(t, <-done, why, "minutes of work")
}
