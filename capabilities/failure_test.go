package capabilities

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/reason/model"
)

// The failure table of R42, a test for each row. That of the control plane stands with the control plane.

// modelled is a bench whose model says the lines of a script: what it proposes, and "done" at the end.
func modelled(t *testing.T, rules, plans string, proposals ...string) (*bench, *cortex.Outcome) {
	t.Helper()
	var script strings.Builder
	for i, p := range proposals {
		when := "please"
		if i > 0 {
			when = "REJECTED"
		}
		fmt.Fprintf(&script, "(:form (:type :request :target :tool :payload (%s) :explanation \"asked\") :when (%q))\n",
			p, when)
	}
	said, err := model.NewScripted("script", "script.lisp", script.String()+`(:reply "done" :repeat t)`)
	require.NoError(t, err)
	b := &bench{t: t, w: &world{fails: map[string]bool{}, keys: map[string]string{}}, caps: New()}
	b.m = cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Capabilities: b.caps,
		Models: cortex.Models{Providers: []model.Provider{said}}, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Tools: []act.Tool{b.w.tool("read"), b.w.tool("set"), b.w.tool("restart")}})
	b.e = b.m.Start()
	all, err := form.Read("plans.lisp", []byte(plans))
	require.NoError(t, err)
	b.inForce(all[0])
	out, err := b.e.Submit(t.Context(), cortex.Signal{Type: "event", Sensor: "user-input", Principal: "ana", Session: "s",
		Text: "please deploy shop"})
	require.NoError(t, err)
	return b, out
}

// refused is what the model was told first.
func refused(t *testing.T, out *cortex.Outcome) *cortex.Decision {
	t.Helper()
	require.NotEmpty(t, out.Decisions)
	d := out.Decisions[0]
	require.Equal(t, "deny", d.Kind.String())
	return d
}

// An input that is missing, and that nothing fills, is asked for by name; with it the plan runs.
func TestR42_AMissingInputIsAskedFor(t *testing.T) {
	b, out := modelled(t, allRules, deploy, `:tool "deploy.appservice" :args (:app "shop")`,
		`:tool "deploy.appservice" :args (:app "shop" :image "v2")`)
	d := refused(t, out)
	assert.Contains(t, d.Reasons[0].Text, ":image")
	assert.True(t, d.Retry)
	assert.Equal(t, "done", out.Text)
	assert.Len(t, b.w.calls, 4, "the steps of the second start alone")
}

// A precondition that does not hold, or is about what is not there, refuses the start, and the model goes on
// with a plan of its own.
func TestR42_APreconditionThatFailsLeavesTheModelItsOwnPlan(t *testing.T) {
	for condition, why := range map[string]string{
		`(= action.args.image "v1")`: "does not hold", `(= facts.ctx.window "open")`: "cannot be judged"} {
		t.Run(why, func(t *testing.T) {
			needs := strings.Replace(deploy, ":once", `:needs (:when (`+condition+`)) :once`, 1)
			b, out := modelled(t, allRules, needs, `:tool "deploy.appservice" :args (:app "shop" :image "v2")`,
				`:tool "set" :args (:name "shop" :image "v2")`)
			d := refused(t, out)
			assert.Equal(t, "deploy.appservice/needs", d.Key)
			assert.Contains(t, d.Reasons[0].Text, why)
			assert.True(t, d.Retry)
			assert.Equal(t, "done", out.Text)
			assert.Equal(t, []string{`set (:image "v2" :name "shop")`}, b.w.calls)
			b.replays()
		})
	}
}

// A broken budget stops the run, and what was done is made up for.
func TestR42_ABrokenBudgetIsMadeUpFor(t *testing.T) {
	b := newBench(t, allRules, fmt.Sprintf(slow, 5))
	b.w.does = func(_ string, c act.Call) act.Receipt {
		if c.Action.Args().GetText("image") == "1" {
			waitMS(50)
		}
		return act.Receipt{State: act.Done, Result: resultWith("7")}
	}
	rc := b.does("x.slow", `()`)
	assert.Equal(t, act.Failed, rc.State)
	assert.Contains(t, rc.Text, statusPartial)
	assert.Contains(t, rc.Text, "its budget is 5 ms")
	assert.Equal(t, []string{`set (:image "1" :name "a")`, `set (:image "0" :name "a")`}, b.w.calls)
}

// A once-key that was there before answers with the last good outputs, and no step runs.
func TestR42_ACollisionReturnsTheLastOutputs(t *testing.T) {
	b := newBench(t, allRules, deploy)
	first := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	calls := len(b.w.calls)
	again := b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	was, _ := first.Result.Get("outputs")
	is, _ := again.Result.Get("outputs")
	assert.Equal(t, was.String(), is.String())
	assert.Contains(t, again.Text, "done already")
	assert.Len(t, b.w.calls, calls)
}

// A denial tells the model which step, by which rule and why, and whether another proposal may help.
func TestR42_ADenialIsAStructuredReason(t *testing.T) {
	const frozen = allRules + `
(defskill freeze :trigger (= action.tool "restart")
  :gate ((deny frozen :when (= action.args.name "shop") :reason "shop is frozen until Monday")))`
	b, out := modelled(t, frozen, deploy, `:tool "deploy.appservice" :args (:app "shop" :image "v2")`)
	d := refused(t, out)
	assert.Equal(t, "deploy.appservice/step/restart", d.Key)
	require.Len(t, d.Reasons, 1)
	assert.Equal(t, d.Key, d.Reasons[0].Key)
	assert.Equal(t, "step restart: shop is frozen until Monday", d.Reasons[0].Text)
	assert.True(t, d.Retry, "another proposal may help")
	assert.Empty(t, b.w.calls)
}
