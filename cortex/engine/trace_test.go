package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

// manyRules are n skills of one clause each on one tool. The last vouches for milk.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString(testRules)
	for i := range n - 1 {
		fmt.Fprintf(&b, "(defskill rule%05d :trigger (= action.tool \"look\") :gate ((deny never :when (= "+
			"action.args.text \"no %d\") :reason \"no\")))\n", i, i)
	}
	b.WriteString(`(defskill vouching :trigger (= action.tool "look") :gate ((allow milk :when (= action.args.text "milk") :reason "milk is fine")))`)
	return b.String()
}

// What a decision writes does not grow with the rules that passed; who they were is
// derived by judging again, also when other rules are in force.
func TestManyRulesWriteLittle(t *testing.T) {
	crashtest.Long(t)
	const n = 3000
	b := newBench(t, manyRules(n), "")
	d := b.decideOn("look", `(:text "milk")`)
	require.Equal(t, "vouching/milk", d.Key)
	raw, err := b.j.Get(append([]byte{'e'}, record.Number(d.ID)...))
	require.NoError(t, err)
	t.Logf("%d bytes", len(raw))
	assert.NotEmpty(t, raw)
	assert.Less(t, len(raw), 4<<10)
	assert.Equal(t, 1, len(d.Trace)) // a failure lists none of them
	assert.Equal(t, n-1, d.Passed)

	explained := func() {
		x, err := b.Explain(t.Context(), d.ID)
		require.NoError(t, err)
		require.NoError(t, x.Underived)
		require.Len(t, x.Trace, n)
		assert.Equal(t, reason.Step{Round: 1, Gate: "rule00000/never", Outcome: reason.Passed}, x.Trace[0])
		assert.Equal(t, d.Trace[0], x.Trace[n-1])
	}
	explained()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, 1, got.Decisions)
	assert.Empty(t, got.Differences)
	b.policies.Opt.Rules = fstest.MapFS{"rules.lisp": {Data: []byte(testRules)}}
	require.NoError(t, b.Operations().Reload(t.Context()))
	explained()
}

// Where a decision cannot be made again, an explanation says so, and shows what is on
// record.
func TestExplainWithoutTheRules(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("note", `(:text "milk")`)
	require.Positive(t, d.Passed)
	require.NoError(t, b.Operations().EndSession(t.Context(), "s1", ana))
	x, err := b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	assert.ErrorContains(t, x.Underived, "history")
	assert.Equal(t, d.Trace, x.Trace)
}
