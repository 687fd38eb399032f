package rules

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestCalculator(t *testing.T) {
	calc := load(t, `(deflist secret-paths "**/.env" "**/*.pem")`).Calculator()
	on := &skills.Case{Facts: &skills.Facts{Now: 7, Session: skills.Session{ID: "s", Principal: "ann", Turns: []skills.Turn{{User: "hi"}}}}, Memo: map[string]any{}}
	compute := func(src string) (any, error) {
		v, err := sexpr.Reader{Code: true}.Read("form", src)
		require.NoError(t, err, src)
		return calc.Compute(v, on)
	}
	for src, want := range map[string]any{
		"(+ 1 2)": int64(3), "(/ 7 2)": 3.5, "(+ 1 2.5)": 3.5, `(= "a" :a)`: true, `(upper "ä")`: "Ä", "now": int64(7),
		`(let ((x 3)) (* x x))`: int64(9), `(map '(1 2) (+ it 1))`: []any{int64(2), int64(3)}, "session.principal": "ann", "session.user-text": "hi",
		`(glob-any? "a/.env" secret-paths)`: true, `(map (shell "ls -l; rm x") it.name)`: []any{"ls", "rm"}, "'(1 2)": []any{int64(1), int64(2)},
		`"text"`: "text", "t": true,
	} {
		got, err := compute(src)
		require.NoError(t, err, src)
		assert.Equal(t, want, got, src)
	}
	for src, want := range map[string]string{
		`(+ 1 "a")`: "1:6", "(/ 1 0)": "zero", "(nope 1)": "nope", "nope": "nope", "(+ 1)": "takes", "action": "no value",
		"action.tool": "", `(+ 9223372036854775807 1)`: "", `(map '(1 2) (map '(1 2) (map '(1 2) it)))`: "", "signal.nope": "nope",
	} {
		_, err := compute(src)
		require.Error(t, err, src)
		assert.ErrorContains(t, err, want, src)
	}
	_, err := compute("facts.env.nope")
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
