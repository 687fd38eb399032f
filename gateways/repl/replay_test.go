package repl

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A replay names the gates in Go that decisions on record went through and that this program lacks.
func TestAReplayNamesTheGatesItLacks(t *testing.T) {
	d := newDesk(t, "")
	dir := t.TempDir()
	pass := func(context.Context, *skills.Case) (skills.Verdict, error) { return skills.Pass{}, nil }
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Dry: true, Rules: d.rules,
		Gates: []cortex.Gate{{Name: "moody", Version: "1", Judge: pass}}})
	require.NoError(t, err)
	a, err := cortex.NewAction("risky", sexpr.Plist("what", sexpr.Str("x")), "")
	require.NoError(t, err)
	_, err = e.Decide(t.Context(), a, nil)
	require.NoError(t, err)
	replayed := func() Result {
		r, err := eval(New(Options{Engine: e}).Session(Caller{}), "(replay)")
		require.NoError(t, err)
		assert.Contains(t, r.Out, " decisions derived again, 0 differences\n")
		return r
	}
	r := replayed()
	assert.NotContains(t, r.Out, "moody")
	assert.Contains(t, r.Value.String(), ":gates nil")
	require.NoError(t, e.Close())

	e, err = cortex.Open(t.Context(), cortex.Options{Dir: dir, Dry: true, Rules: d.rules})
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	r = replayed()
	assert.Contains(t, r.Out, "gate moody 1 is on record and not in this program: its recorded answers were used\n")
	assert.Contains(t, r.Value.String(), `:gates ("moody 1")`)
}
