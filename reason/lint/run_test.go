package lint

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A daemon takes rules whatever lint does: it ends with its context, and a panic is an
// error.
func TestLintNeverStandsInTheWay(t *testing.T) {
	b, err := unproved(tools + on("pay", `(deny a :when (> action.args.amount 1000))`))
	require.NoError(t, err)
	found, err := Within(context.Background(), b)
	require.NoError(t, err)
	require.Len(t, found, 1)

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	found, err = Within(ended, b)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, found, "nothing was looked at")

	found, err = Within(context.Background(), nil)
	require.ErrorContains(t, err, "lint panicked")
	assert.Empty(t, found)
}

// costlyBook is a book of conditions with as many ways to hold as lint looks at, inside
// and outside of lists.
func costlyBook(n int) string {
	var ways, ors strings.Builder
	for i := range 5 {
		fmt.Fprintf(&ors, " (or (= it.a%d 1) (= it.a%d 2))", i, i)
		fmt.Fprintf(&ways, " (or (some facts.ctx.x%d (and%s)) (= facts.ctx.y%d 1))", i, ors.String(), i)
	}
	var b strings.Builder
	b.WriteString(tools)
	for i := range n {
		fmt.Fprintf(&b,
			"(defskill s%d :trigger (= action.tool \"pay\") :gate ((ask a :when (and (> action.args.amount %d)%s))))\n",
			i, i%900, ways.String())
	}
	return b.String()
}

// What lint looks at is counted also where conditions have very many ways to hold.
func TestWorkIsBounded(t *testing.T) {
	b, err := unproved(costlyBook(40))
	require.NoError(t, err)
	left := maxWork
	l := &linter{ctx: context.Background(), book: b, names: namesOf(b), left: &left}
	l.clauses = l.read()
	for i := range l.clauses {
		l.look(i)
	}
	assert.Negative(t, left, "the book is too dear to be looked at whole")
	before := left
	_, ok := l.ways(l.clauses[0].whole())
	assert.False(t, ok, "what was not looked at is not certain")
	assert.Greater(t, left, before-maxCases, "and costs next to nothing")
}

func BenchmarkCostlyBook(b *testing.B) {
	book, err := unproved(costlyBook(200))
	require.NoError(b, err)
	for b.Loop() {
		Run(book)
	}
}
