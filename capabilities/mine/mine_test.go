package mine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/mine"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// life is a record of an agent whose model makes the calls that a test names for each request,
// and whose tools return what the test says.
type life struct {
	*cortex.Engine
	t       testing.TB
	calls   []string          // of the request that is being answered
	returns map[string]string // by command, what it prints
	fails   string            // a command that fails
}

const rules = `
(deftool shell :params (:cmd command) :required (:cmd) :tier :allow :effect :external)
(deftool fetch :params (:url url) :required (:url) :tier :allow :effect :none)
(deftool file :params (:op (enum "open" "close") :name string :n number) :tier :allow :effect :local)
; the house deploys to region-7 with "helm upgrade --wait payments"
(defskill words :trigger (= action.tool "shell") :gate ((deny never :when (contains? action.args.cmd "shutdown") :reason "no")))`

func newLife(t testing.TB) *life {
	l := &life{t: t, returns: map[string]string{}}
	tool := func(name string) act.Tool {
		return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(l.act)}
	}
	e, err := cortex.Open(t.Context(), cortex.Options{Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}}, Live: true,
		Tools: []act.Tool{tool("shell"), tool("fetch"), tool("file")}, Models: cortex.Models{Providers: []model.Provider{l}},
		Env: sexpr.Plist("name", sexpr.Str("staging")), Traces: engine.Traces{Mode: engine.TraceDigest}})
	require.NoError(t, err)
	l.Engine = e
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return l
}

func (l *life) act(_ context.Context, c act.Call) (act.Receipt, error) {
	text, _ := c.Action.Native()["cmd"].(string)
	if url, ok := c.Action.Native()["url"].(string); ok {
		text = url
	}
	if l.fails != "" && strings.HasPrefix(text, l.fails) {
		return act.Receipt{State: act.Failed, Error: "it failed"}, nil
	}
	return act.Receipt{State: act.Done, Text: l.returns[text], Result: sexpr.Plist("id", sexpr.Str("r-"+text))}, nil
}

// Name implements model.Provider.
func (l *life) Name() string { return "house" }

// Complete makes the next call, and then says that all is done.
func (l *life) Complete(context.Context, model.Prompt) (model.Completion, error) {
	use := model.Usage{TokensIn: 100, TokensOut: 20, Cost: 0.01}
	if len(l.calls) == 0 {
		return model.Completion{Text: "all is done", Usage: use}, nil
	}
	next := l.calls[0]
	l.calls = l.calls[1:]
	return model.Completion{Text: "(:type :request :target :tool :payload " + next + ")", Usage: use}, nil
}

// asks has a person ask for something, in a session of its own.
func (l *life) asks(session, text string, calls ...string) {
	l.t.Helper()
	l.calls = calls
	out, err := l.Submit(l.t.Context(), cortex.Signal{Sensor: "user-input", Text: text, Session: session,
		Principal: "ann"})
	require.NoError(l.t, err)
	require.Empty(l.t, l.calls, out)
}

func shell(cmd string) string { return fmt.Sprintf("(:tool \"shell\" :args (:cmd %q))", cmd) }

func (l *life) mine(opt mine.Options) mine.Result {
	l.t.Helper()
	m := mine.New(opt)
	require.NoError(l.t, l.Journal().Records(1, m.Add))
	return m.Mine()
}

// deploy is one deployment that goes well.
func (l *life) deploy(i int) {
	app, image := fmt.Sprintf("shop-%d", i), fmt.Sprintf("acr.example/pay:%d", i)
	l.returns["az webapp show -n "+app+" --query image"] = fmt.Sprintf("old-image:%d\n", i)
	l.asks(fmt.Sprint("s", i), fmt.Sprintf("Please deploy %s to %s for me.", image, app),
		shell("az webapp show -n "+app+" --query image"),
		shell("az webapp config set -n "+app+" -i "+image),
		shell("az webapp tag -n "+app+fmt.Sprintf(" --old old-image:%d", i)),
		shell("az webapp restart -n "+app))
}

// TestR26_SequencesThatSucceedAreMined: what differs is a slot, by where it came from, and what does not is a
// constant.
func TestR26_SequencesThatSucceedAreMined(t *testing.T) {
	l := newLife(t)
	require.NoError(t, l.Operations().SetFact(t.Context(), "subscription", sexpr.Str("sub-1"),
		cortex.Approver{Name: "ops", Classes: []string{"operator"}}))
	for i := range 6 {
		l.deploy(i + 1)
	}
	got := l.mine(mine.Options{})
	require.Len(t, got.Candidates, 1, "%+v", got.Left)
	c := got.Candidates[0]
	assert.Equal(t, []any{6, 6, 24, 6, 1.0}, []any{got.Traces, got.Successful, got.Calls, c.Support, c.Success})
	assert.Equal(t, "usd", c.Saving.Unit)
	assert.InDelta(t, 0.25, c.Saving.Ratio(), 1e-9)
	for _, line := range []string{
		`(s1 :tool "shell" :args (:cmd "az webapp show -n {{cmd}} --query image")`, `:out (:s1-1 text)`,
		`(s2 :tool "shell" :args (:cmd "az webapp config set -n {{cmd}} -i {{cmd2}}")`,
		`(s3 :tool "shell" :args (:cmd "az webapp tag -n {{cmd}} --old {{work.s1-1}}")`,
		`(s4 :tool "shell" :args (:cmd "az webapp restart -n {{cmd}}")`,
		`:inputs (:cmd string :cmd2 string) :required (:cmd :cmd2)`, `:compat (:env ("staging"))`,
		`(= facts.ctx.subscription "sub-1")`, `:keywords ("deploy" "please")`, `:once (:key ("mined.shell-`,
		`; :undo is missing`, `; :cmd: "az webapp tag --old": the model's own; "-n": in a rule; "{{cmd}}": the user's words, or a fact, in each trace; ` +
			`"{{work.s1-1}}": an earlier output`,
	} {
		assert.Contains(t, c.Text, line)
	}
	forms, err := sexpr.ReadAll("candidate", c.Text)
	require.NoError(t, err, c.Text)
	require.Len(t, forms, 1)
	assert.Equal(t, c.ID, forms[0].Items()[1].Text())
	assert.Equal(t, "mined", c.Body("ann").GetText("state"))
	assert.False(t, c.Known)
	for _, left := range got.Left {
		assert.Contains(t, left.Why, "it is part of")
	}
}

// TestR26_TheSameRecordGivesTheSameCandidates, byte for byte.
func TestR26_TheSameRecordGivesTheSameCandidates(t *testing.T) {
	l := newLife(t)
	for i := range 8 {
		l.deploy(i)
		l.asks(fmt.Sprint("f", i), fmt.Sprintf("open and close n%d", i),
			fmt.Sprintf(`(:tool "file" :args (:op "open" :name "n%d"))`, i),
			fmt.Sprintf(`(:tool "file" :args (:op "close" :name "n%d" :n 3))`, i))
	}
	want := l.mine(mine.Options{})
	require.Len(t, want.Candidates, 2, "%+v", want.Left)
	times := 20
	if testing.Short() {
		times = 5
	}
	for range times {
		require.Equal(t, want, l.mine(mine.Options{}))
	}
}

// TestR26_Filters: support, success and cost each keep a sequence out, and the table says which.
func TestR26_Filters(t *testing.T) {
	l := newLife(t)
	for i := range 6 {
		l.deploy(i)
	}
	why := func(opt mine.Options) string {
		got := l.mine(opt)
		require.Empty(t, got.Candidates)
		if len(got.Left) == 0 {
			return ""
		}
		return got.Left[0].Why
	}
	assert.Empty(t, why(mine.Options{Support: 7}), "too few are not listed")
	assert.Contains(t, why(mine.Options{Cost: 0.2}),
		"as one call it would take 0.25 of what it took in usd, expected at most 0.20")
	l.fails = "az webapp restart"
	for i := range 3 {
		l.deploy(100 + i)
	}
	l.fails = ""
	assert.Contains(t, why(mine.Options{}), "6 of the 9 traces that have it succeeded: 0.67, expected at least 0.90")
	assert.NotEmpty(t, l.mine(mine.Options{Success: 0.6}).Candidates, "%+v", l.mine(mine.Options{Success: 0.6}).Left)
}

// TestR27_AnArgumentThatWasNeverSaidIsNoSlot, and neither is one that begins with a dash.
func TestR27_AnArgumentThatWasNeverSaidIsNoSlot(t *testing.T) {
	l := newLife(t)
	for i := range 6 {
		l.asks(fmt.Sprint("s", i), "do it", shell(fmt.Sprintf("git tag guess-%d", i)), shell("git push"))
	}
	got := l.mine(mine.Options{})
	require.Empty(t, got.Candidates)
	assert.Contains(t, got.Left[0].Why, "call 1, shell: :cmd, word 3: it differs, and did not stand each time in")
	l = newLife(t)
	for i := range 6 {
		l.asks(fmt.Sprint("s", i), fmt.Sprintf("do it with -x%d", i), shell(fmt.Sprintf("git tag -x%d", i)),
			shell("git push"))
	}
	assert.Contains(t, l.mine(mine.Options{}).Left[0].Why, "begins with a dash")
}
