package repl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/sexpr"
)

// wanting is a model that wants something risky each time it is asked for it.
const wanting = `
(:form (:type :request :target :tool :payload (:tool "risky" :args (:what "x")) :explanation "as asked") :when ("do it") :repeat t)
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "rm x")) :explanation "as asked") :when ("remove") :repeat t)
(:reply "I cannot." :when ("REJECTED") :repeat t)
(:reply "Then not." :when ("it was refused") :repeat t)
(:reply "It is done." :repeat t)`

// asks has the model want something risky, and returns the card.
func (d *desk) asks(t *testing.T) (token string) {
	t.Helper()
	r, err := eval(d.plain, `(say "do it")`)
	require.NoError(t, err)
	require.NotEmpty(t, r.Value.GetText("approval"), r.Out)
	return r.Value.GetText("approval")
}

// came is what (outcome ...) says when all is done.
func (d *desk) came(t *testing.T, token string) Result {
	t.Helper()
	r, err := eval(d.plain, fmt.Sprintf("(outcome %q :wait t)", token))
	require.NoError(t, err)
	assert.True(t, r.Value.GetTrue("done"), r.Value)
	return r
}

func TestOutcomeOfACard(t *testing.T) {
	d := newDesk(t, wanting)
	yes := d.asks(t)
	r, err := eval(d.plain, fmt.Sprintf("(outcome %q)", yes))
	require.NoError(t, err)
	assert.False(t, r.Value.GetTrue("done"))
	assert.Equal(t, "approval "+yes+"  pending\n", r.Out)

	waited := make(chan Result)
	go func() { // it waits for people, and then for the model
		r, err := eval(d.plain, fmt.Sprintf("(outcome %q :wait t)", yes))
		assert.NoError(t, err)
		waited <- r
	}()
	value(t, d.operator, fmt.Sprintf("(approve %q)", yes))
	r = <-waited
	assert.Equal(t, "risky done\ndid it\nIt is done.\n", r.Out)
	assert.Equal(t, `(:token "`+yes+`" :state "approved" :done t :ran ((:tool "risky" :state "done" :text "did it")) `+
		`:denied nil :text "It is done." :approval "")`, r.Value.String())
	again, err := eval(d.plain, fmt.Sprintf("(outcome %q)", yes))
	require.NoError(t, err)
	assert.Equal(t, "approval "+yes+"  approved by operator\n"+r.Out, again.Out)

	no := d.asks(t)
	value(t, d.operator, fmt.Sprintf("(deny %q %q)", no, "not today"))
	r = d.came(t, no)
	assert.Equal(t, "Then not.\n", r.Out)

	edited := d.asks(t)
	value(t, d.operator, fmt.Sprintf("(edit %q '(:what \"y\"))", edited))
	r = d.came(t, edited)
	assert.NotEqual(t, edited, r.Value.GetText("token"), "another card takes its place")
	assert.Contains(t, r.Out, "risky done\ndid it\n")
	assert.Contains(t, strings.Join(d.done, "\n"), `:what "y"`)

	for _, src := range []string{"(outcome)", `(outcome "x" :wait)`, `(outcome "x" :wait nil)`, `(outcome "x" 1 2 3)`} {
		_, err := eval(d.plain, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, CodeSyntax, e.Code, src)
	}
	_, err = eval(d.plain, `(outcome "nope")`)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CodeNotFound, e.Code)
}

// A form that waits gives its turn back meanwhile, and ends with its context.
func TestOutcomeWaitsWithoutATurn(t *testing.T) {
	d := newDesk(t, wanting)
	token := d.asks(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	idle, back := make(chan bool, 1), false
	ctx = Idling(ctx, func(wait func() error) error {
		idle <- true
		err := wait()
		back = true
		return err
	})
	go func() { <-idle; cancel() }()
	form, err := sexpr.Read("test", fmt.Sprintf("(outcome %q :wait t)", token))
	require.NoError(t, err)
	_, err = d.plain.Eval(ctx, form)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CodeInterrupted, e.Code)
	assert.True(t, back)
}

// So it does where a host gives turns to texts, as the one for editors does.
func TestOutcomeInATextGivesItsTurnBack(t *testing.T) {
	d := newDesk(t, wanting)
	pool := fair.New(fair.Options{})
	s := d.plain.r.Session(Caller{Peer: d.plain.c.Peer, Turns: pool.Client(func() {})})
	token := d.asks(t)
	waited := make(chan Result)
	go func() {
		r, err := eval(s, fmt.Sprintf("(outcome %q :wait t)", token))
		assert.NoError(t, err)
		waited <- r
	}()
	value(t, s, "(journal :last 5)")
	value(t, d.operator, fmt.Sprintf("(approve %q)", token))
	assert.Equal(t, "risky done\ndid it\nIt is done.\n", (<-waited).Out)
	_, turns := pool.Held()
	assert.Zero(t, turns)
}

// What was refused on the way is said where it happens.
func TestSayShowsWhatWasRefused(t *testing.T) {
	d := newDesk(t, wanting)
	r, err := eval(d.plain, `(say "remove x")`)
	require.NoError(t, err)
	first := mustItem(t, r.Value, "decisions")
	assert.Equal(t, fmt.Sprintf("denied by guard/no-rm, record %d\nI cannot.\n", first.GetInt("id")), r.Out)
}

func mustItem(t *testing.T, v sexpr.Value, key string) sexpr.Value {
	t.Helper()
	list, _ := v.Get(key)
	require.NotZero(t, list.Len())
	return list.Items()[0]
}

// An explanation begins with what was asked, by whom, when and how it came out; then
// comes the clause with the values that it saw. Gates that passed are a number.
func TestExplainBeginsWithWhatWasDecided(t *testing.T) {
	d := newDesk(t, wanting)
	_, err := eval(d.plain, `(say "remove x")`)
	require.NoError(t, err)
	r, err := eval(d.plain, `(journal :last 50)`)
	require.NoError(t, err)
	var n int64
	for _, rec := range r.Value.Items() {
		if rec.GetText("kind") == "decision" && n == 0 {
			n = rec.GetInt("seq")
		}
	}
	r, err = eval(d.plain, fmt.Sprintf("(explain %d)", n))
	require.NoError(t, err)
	assert.Regexp(t, `^action     shell \(:cmd "rm x"\)
it says    "as asked"
requester  "ann" in session "repl/ann/main"
time       \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC
outcome    denied by guard/no-rm, record `+fmt.Sprint(n)+`

guard/no-rm: nothing is deleted \(rules\.lisp:4:\d+\)
  \(deny no-rm .*\)
  saw action\.tool = "shell"
  saw action\.args\.cmd = "rm x"

  round 1  guard/no-rm +rejected  nothing is deleted
  0 gates passed, 0 had nothing to say about this tool
$`, r.Out)
	// By other rules it is not known what the clause said.
	d.rules["rules.lisp"].Data = []byte(testRules + "\n(deftool new :tier :ask)")
	require.NoError(t, d.Operations().Reload(t.Context()))
	r, err = eval(d.plain, fmt.Sprintf("(explain %d)", n))
	require.NoError(t, err)
	assert.Contains(t, r.Out, "the rules have changed since")
	assert.NotContains(t, r.Out, "saw action")
}

// A hint stands in the answer of (decide ...), and in the explanation.
func TestAHintIsShown(t *testing.T) {
	d := newDesk(t, wanting)
	d.rules["rules.lisp"].Data = []byte(testRules + `
(deftool pay :params (:amount integer) :required (:amount) :tier :allow)
(definvariant most :when (= action.tool "pay") :holds (<= action.args.amount 50) :reason "at most 50" :hint t)`)
	require.NoError(t, d.Operations().Reload(t.Context()))
	r, err := eval(d.plain, `(decide '(:tool "pay" :args (:amount 70)))`)
	require.NoError(t, err)
	hint, _ := r.Value.Get("hint")
	assert.Equal(t, `(:at ("amount") :set 50)`, hint.String())
	r, err = eval(d.plain, fmt.Sprintf("(explain %d)", r.Value.GetInt("id")))
	require.NoError(t, err)
	assert.Regexp(t, `\n  hint: \(:at \("amount"\) :set 50\) \(\d+ edits were judged\)\n`, r.Out)
}
