package repl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// nasty drives a terminal, turns what follows around, breaks lines, and hides.
const nasty = "\x1b[2J\u202egnp.exe\u2028x\u0085\u200b\a"

// hasNasty reports what of it a person would be shown as it is.
func hasNasty(text string) bool { return strings.ContainsAny(text, "\x1b\u202e\u2028\u0085\u200b\a") }

// Nothing that the REPL prints for people drives a terminal, whatever a model or a
// client wrote.
func TestWhatPeopleReadDrivesNoTerminal(t *testing.T) {
	d := newDesk(t, "")
	action, err := cortex.NewAction("risky", sexpr.Plist("what", sexpr.Str(nasty)), nasty)
	require.NoError(t, err)
	dec, err := d.Decide(t.Context(), action, nil)
	require.NoError(t, err)
	for _, src := range []string{`(journal :last 100)`,
		`(journal 1)`, "(approvals)", "(doubts)", "(help)", `(explain ` + number(dec.ID).String() + `)`,
		`(journal ` + number(dec.ID).String() + `)`} {
		r, err := eval(d.operator, src)
		require.NoError(t, err, src)
		assert.False(t, hasNasty(r.Out), "%s: %q", src, r.Out)
	}
	_, err = eval(d.operator, `(approval "`+nasty+`")`)
	require.Error(t, err)
	assert.False(t, hasNasty(err.Error()), "%q", err)
	r, err := d.Journal().Read(dec.ID)
	require.NoError(t, err)
	assert.False(t, hasNasty(Summary(r)), "%q", Summary(r))
	assert.Contains(t, Summary(r), `\u{202e}gnp.exe`)
}

// An answer to a card that another one has replaced names that one.
func TestASupersededCardNamesItsSuccessor(t *testing.T) {
	d := newDesk(t, "")
	ask := func() *cortex.Decision {
		a, err := cortex.NewAction("risky", sexpr.Plist("what", sexpr.Str("x")), "")
		require.NoError(t, err)
		dec, err := d.Decide(t.Context(), a, nil)
		require.NoError(t, err)
		return dec
	}
	old := ask().Approval
	require.NotEmpty(t, old)
	d.rules["rules.lisp"].Data = []byte(testRules + "\n(deftool new :tier :ask)")
	require.NoError(t, d.Operations().Reload(t.Context()))
	fresh := ask().Approval
	require.NotEqual(t, old, fresh)
	for _, src := range []string{`(approve "` + old + `")`, `(deny "` + old + `")`} {
		_, err := eval(d.operator, src)
		assert.ErrorContains(t, err, "approval "+old+" is superseded")
		assert.ErrorContains(t, err, "approval "+fresh+" takes its place")
	}
}

// What an action became is shown as it is written, and escaped once at most.
func TestARewrittenActionIsLegible(t *testing.T) {
	a, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("rm -i x")), "")
	require.NoError(t, err)
	b, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("rm x")), "")
	require.NoError(t, err)
	text := decisionText(&cortex.Decision{Decision: reason.Decision{Action: a, Proposed: b}})
	assert.Contains(t, text, `rewritten to (:args (:cmd "rm -i x") `)
}

// A record of another kind is named without a word that its kind does not take, and
// a place without a file says that it is in the proposal.
func TestSmallWordsForPeople(t *testing.T) {
	d := newDesk(t, "")
	a, err := cortex.NewAction("risky", sexpr.Plist("what", sexpr.Str("x")), "")
	require.NoError(t, err)
	dec, err := d.Decide(t.Context(), a, nil)
	require.NoError(t, err)
	_, err = eval(d.plain, "(explain "+number(dec.ID+1).String()+")")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "a approval")
	assert.Contains(t, err.Error(), "of the kind approval, and not a decision")

	r, err := eval(d.plain, `(decide '(:tool "risky" :args (:what 7)))`)
	require.NoError(t, err)
	assert.Contains(t, r.Out, "(proposal:1:")
	assert.Contains(t, r.Value.String(), `:pos "proposal:1:`)
}
