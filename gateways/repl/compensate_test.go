package repl

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// An operator's compensations are judged as the operator's, in the session of what
// they are for; where they stop, what was done stands beside why.
func TestRow095_Compensate(t *testing.T) {
	d := newDesk(t, "")
	effect := func(came act.State) uint64 {
		t.Helper()
		a, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("ls")), "")
		require.NoError(t, err)
		dec, err := d.Decide(t.Context(), a, nil)
		require.NoError(t, err)
		p, err := d.Begin(t.Context(), dec)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), cortex.Receipt{State: came}))
		return p.ID()
	}
	first, none, last := effect(act.Done), effect(act.Nothing), effect(act.Done)
	r, err := eval(d.operator, fmt.Sprintf(
		`(compensate %d '(:tool "shell" :args (:cmd "rm x")) %d '(:tool "shell" :args (:cmd "ls a")) %d '(:tool "shell" :args (:cmd "ls b")))`, first, none, last))
	require.NoError(t, err)
	assert.Contains(t, r.Out, fmt.Sprintf("intent %d is made up for by intent ", last))
	assert.Contains(t, r.Out, fmt.Sprintf("intent %d did nothing that could be made up for", none))
	assert.Contains(t, r.Out, "nothing is deleted", "why the last one stopped")
	assert.Contains(t, r.Value.String(), ":of 3")
	assert.Len(t, d.done, 1)
	rec, err := d.Journal().Read(uint64(doneBy(t, r, 0)))
	require.NoError(t, err)
	assert.Empty(t, rec.Session, "that of its intent")
	assert.Equal(t, "ann", rec.Body.GetText("principal"))
	assert.Contains(t, value(t, d.plain, fmt.Sprintf("(journal %d)", rec.Seq)), fmt.Sprintf(":compensates %d", last))
	r, err = eval(d.plain, fmt.Sprintf("(explain %d)", rec.Body.GetInt("decision")))
	require.NoError(t, err)
	assert.Contains(t, r.Out, fmt.Sprintf("to make up for intent %d\n", last))

	d.fail = errors.New("no")
	_, err = eval(d.operator, fmt.Sprintf(`(compensate %d '(:tool "shell" :args (:cmd "ls a")))`, first))
	require.ErrorContains(t, err, "0 of 1 made up for; ")
	r, err = eval(d.plain, "(compensations)")
	require.NoError(t, err)
	require.Equal(t, 1, r.Value.Len())
	by := r.Value.Items()[0].GetInt("by")
	assert.Contains(t, r.Out, fmt.Sprintf("intent %d was to make up for intent %d and FAILED  ", by, first))
	r, err = eval(d.plain, "(status)")
	require.NoError(t, err)
	assert.Contains(t, r.Out, "1 compensations FAILED")
	assert.Contains(t, value(t, d.operator, fmt.Sprintf("(settle %d :happened)", by)), ":happened")
	r, err = eval(d.operator, fmt.Sprintf(`(compensate %d '(:tool "shell" :args (:cmd "ls c")))`, first))
	require.NoError(t, err)
	assert.EqualValues(t, by, doneBy(t, r, 0))
	assert.Len(t, d.done, 2)

	for src, code := range map[string]string{
		"(compensate)": CodeSyntax, "(compensate 1)": CodeSyntax, "(compensate 'x 'y)": CodeSyntax,
		"(compensate 1 7)": CodeSyntax, "(compensations 1)": CodeSyntax,
		`(compensate 1 '(:tool "shell" :session "x"))`:          CodeRefused,
		`(compensate 99999 '(:tool "shell" :args (:cmd "ls")))`: CodeNotFound,
		fmt.Sprintf(`(compensate %d '(:tool "shell" :args (:cmd "ls")) %d '(:tool "shell" :args (:cmd "ls")))`, first,
			first): CodeFailed,
	} {
		_, err := eval(d.operator, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, code, e.Code, "%s: %v", src, err)
	}
}

// doneBy is the intent that carried out the nth of what a compensate did.
func doneBy(t *testing.T, r Result, n int) int64 {
	t.Helper()
	done, _ := r.Value.Get("done")
	require.Greater(t, done.Len(), n)
	return done.Items()[n].GetInt("by")
}
