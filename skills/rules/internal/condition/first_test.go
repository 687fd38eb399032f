package condition

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestFirstTestIsFound(t *testing.T) {
	tests := []struct {
		text string
		want *firstTest
	}{
		{`(= action.args.to "bob")`, &firstTest{"to", "bob"}},
		{`(= "bob" action.args.to)`, &firstTest{"to", "bob"}},
		{`(= action.args.to :bob)`, &firstTest{"to", "bob"}},
		{`(= action.args.|userId| "7")`, &firstTest{"userId", "7"}},
		{`(and (and (= action.args.to "bob") (> action.args.n 1)) t)`, &firstTest{"to", "bob"}},
		{`"action.args.to == 'bob' and action.args.n > 1"`, &firstTest{"to", "bob"}},
		{`(and (> action.args.n 1) (= action.args.to "bob"))`, nil}, // the number may be no number
		{`(or (= action.args.to "bob") t)`, nil},
		{`(not (= action.args.to "bob"))`, nil},
		{`(= action.args.to action.args.from)`, nil},
		{`(= action.args.n 1)`, nil},
		{`(= action.args.to.name "bob")`, nil},
		{`(= action.tool "pay")`, nil},
		{`(= "bob" "bob")`, nil},
	}
	b, src := New(testFunctions(), 50_000), &sheet{}
	for _, tt := range tests {
		c, err := compileText(t, b, src, tt.text)
		require.NoError(t, err, tt.text)
		assert.Equal(t, tt.want, c.first, tt.text)
	}
}

// With or without the first test, a condition comes out the same.
func TestFirstTestChangesNothing(t *testing.T) {
	b, src := New(testFunctions(), 50_000), &sheet{}
	for _, text := range []string{
		`(= action.args.to "bob")`, `(= action.args.to "")`, `(= action.args.to nil)`, `(= :bob action.args.to)`,
		`(and (= action.args.to "bob") (> action.args.n 1))`, `(and (= action.args.to "bob") (= action.args.from "ana"))`,
	} {
		c, err := compileText(t, b, src, text)
		require.NoError(t, err, text)
		for _, args := range []string{
			`{}`, `(:to "bob")`, `(:to "bob" :n 2)`, `(:to "Bob" :n 2)`, `(:to "" :n 2)`, `(:to nil)`, `(:to null)`, `(:to 1)`,
			`(:to ("bob"))`, `(:to (:bob t))`, `(:to t :n 2)`, `(:|To| "bob")`, `(:to "bob" :from "ana")`,
		} {
			x := &skills.Case{Action: payment(t, args), Facts: &skills.Facts{Ctx: sexpr.Nil()}}
			got, gotErr := c.Holds(x)
			plain := program{code: c.code, pool: c.pool, fixed: c.fixed}
			want, wantErr := plain.Holds(x)
			assert.Equal(t, want, got, "%s %s", text, args)
			assert.Equal(t, wantErr, gotErr, "%s %s", text, args)
		}
	}
}

// payment is an action on the tool pay.
func payment(t testing.TB, args string) *skills.Action {
	t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(t, err)
	a, err := skills.NewAction("pay", v, "")
	require.NoError(t, err)
	return a
}
