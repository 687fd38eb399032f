package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

func code(t *testing.T, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Reader{Code: true}.Read("", text)
	require.NoError(t, err)
	return v
}

func TestRecall(t *testing.T) {
	last := [3]sexpr.Value{sexpr.Int64(1), sexpr.Str("two"), code(t, "(+ 1 2)")}
	for in, want := range map[string]string{
		"*":               "(quote 1)",
		"**":              `(quote "two")`,
		"***":             "(quote (+ 1 2))",
		"(* * 3)":         "(* (quote 1) 3)",
		"(* (* * *) **)":  `(* (* (quote 1) (quote 1)) (quote "two"))`,
		"'*":              "(quote *)",
		"(list '(* *) *)": "(list (quote (* *)) (quote 1))",
		"(approve *)":     "(approve (quote 1))",
		"(+ 1 \"*\" **x)": "(+ 1 \"*\" **x)",
	} {
		v := code(t, in)
		got := repl.Recall(v, last)
		assert.Equal(t, want, got.String(), in)
		assert.Equal(t, v.Pos(), got.Pos(), in)
	}
}

func TestTakesOperator(t *testing.T) {
	for text, want := range map[string]bool{
		`(approve "T")`: true, `(deny "T")`: true, `(edit "T" '(:a 1))`: true, `(set-fact 'a 1)`: true,
		`(end-session "s")`: true, `(reload)`: true, `(settle 1 :happened)`: true,
		`(kill-switch nil)`: true, `(kill-switch t)`: false, `(status)`: false, `(+ 1 2)`: false, `approve`: false,
		`(("approve"))`: false, `()`: false,
		`'(approve "T")`: false, `(nothing-like-it)`: false,
	} {
		assert.Equal(t, want, repl.TakesOperator(code(t, text)), text)
	}
}
