package capabilities

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

// staged is a capability with something in each stage that may refuse. %s are more members.
const staged = `
(defcapability x.staged :version "1.0.0" :owner "o" :scope :project :roles ("deployer")
  :compat (:env ("staging")) :inputs (:app string) :required (:app)
  :needs (:when ((= facts.ctx.open t)))
  :offer (:goals ("deploy") :keywords ("release" "ship") :weights (:goal 2.0 :keyword 1.0 :entity 0.5) :tau 2.5)
  :plan ((look :tool "read" :args (:name "{{app}}") :undo "only reads")))
`

// judge decides on a start as an embedder with turns and facts of its own: nothing is recorded.
func (b *bench) judge(args string, change func(*cortex.Facts)) *reason.Decision {
	b.t.Helper()
	f := b.facts()
	f.Env, f.Ctx = b.action("x", `(:env "staging")`).Args(), b.action("x", `(:open t)`).Args()
	f.Session.Roles = []string{"deployer"}
	f.Session.Turns = nil
	change(f)
	return reason.Decide(b.t.Context(), reason.Request{Policy: b.e.Rules().Policy(), Action: b.action("x.staged", args),
		Facts: f, Lookup: func(string, string) (string, error) { return "", nil }})
}

func hears(words string) func(*cortex.Facts) {
	return func(f *cortex.Facts) { f.Session.Turns = said(words).Facts().Session.Turns }
}

// R16: compat, preconditions, score and policy, in this order. Each refusal names its stage, and stages
// behind it do not run.
func TestR16_TheOrderOfStagesIsFixed(t *testing.T) {
	b := newBench(t, deployRules, staged)
	wrong := []struct {
		stage  string
		change func(*cortex.Facts)
	}{
		{"x.staged/compat", func(f *cortex.Facts) { f.Env = b.action("x", `(:env "production")`).Args() }},
		{"x.staged/needs", func(f *cortex.Facts) { f.Ctx = b.action("x", `(:open false)`).Args() }},
		{"x.staged/score", hears("hello")},
		{"x.staged/roles", func(f *cortex.Facts) { f.Session.Roles = []string{"guest"} }},
	}
	for i := range wrong { // this stage and all behind it would refuse: this one does
		d := b.judge(`(:app "shop")`, func(f *cortex.Facts) {
			hears("deploy and release the shop")(f)
			for _, w := range wrong[i:] {
				w.change(f)
			}
		})
		require.Equal(t, reason.Deny, d.Kind)
		assert.Equal(t, wrong[i].stage, d.Key)
		assert.Len(t, d.Reasons, 1)
		assert.Positive(t, d.Skipped)
	}
	d := b.judge(`(:app "shop")`, hears("deploy and release the shop"))
	require.Equal(t, reason.Allow, d.Kind, "%v", d.Reasons)
}

// R17: more cues never make less of a score.
func TestR17_TheScoreIsMonotonic(t *testing.T) {
	b := newBench(t, deployRules, staged)
	v := b.caps.book.Load().versions[0]
	words, last := "", -1.0
	for _, w := range []string{"hello", "deploy", "release", "ship", "shop", "again"} {
		words += " " + w
		c := said(words)
		on := c.On(b.action("x.staged", `(:app "shop")`), nil)
		s, err := b.caps.book.Load().scoreOf(on, v)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, s, last, words)
		last = s
	}
	assert.InDelta(t, 4.5, last, 1e-9)
}

// R19: each stage is in the trace of the decision, the score with tau.
func TestR19_ScoreAndTauAreInTheTrace(t *testing.T) {
	b := newBench(t, deployRules, staged)
	d := b.judge(`(:app "shop")`, hears("deploy, release"))
	require.Equal(t, reason.Allow, d.Kind, "%v", d.Reasons)
	notes := ""
	for _, s := range d.Trace {
		notes += s.Gate + ": " + s.Note + "\n"
	}
	assert.Contains(t, notes, "x.staged/score: score 3.00 of 2.50")
	assert.Contains(t, notes, "x.staged/step/1: look is allowed")
	d = b.judge(`(:app "shop")`, hears("hello"))
	assert.Equal(t, "score 0.00 of 2.50", d.Reasons[0].Detail)
	assert.True(t, d.Retry, "R42: the model may fall back on a plan of its own")
}

// R18: what fits equally well is listed by id.
func TestR18_TiesGoByID(t *testing.T) {
	p := many(t, 9)
	var ids []string
	for _, v := range p.book.top(said("nothing of that")) {
		ids = append(ids, v.ID)
	}
	assert.Equal(t, []string{"x.c000", "x.c001", "x.c002", "x.c003", "x.c004"}, ids)
}

// R13: an input that is missing refuses the start, and says which. Nothing is guessed.
func TestR13_AMissingInputIsNamed(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	_, err := b.e.Do(t.Context(), b.action("deploy.appservice", `(:app "shop")`), b.facts())
	var no *cortex.NotAllowed
	require.ErrorAs(t, err, &no)
	assert.Contains(t, no.Decision.Reasons[0].Text, ":image")
	assert.True(t, no.Decision.Retry)
	assert.Empty(t, b.w.calls)
}

// slow is a plan of two steps whose budget one slow step breaks, and whose step needs what a tool returns.
const slow = `
(defcapability x.slow :version "1.0.0" :owner "o" :scope :project :once (:key ("k")) :outputs (:id string)
  :budget (:ms %d)
  :plan ((set :tool "set" :args (:name "a" :image "1") :ms 2000 :undo (:tool "set" :args (:name "a" :image "0")))
         (look :tool "read" :args (:name "a") :out (:id result.id) :undo "only reads"))
  :result (:id "{{work.id}}"))
`

const allRules = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool set :params (:name string :image string) :required (:name :image) :tier :allow :effect :external)
(deftool restart :params (:name string) :required (:name) :tier :allow :effect :external)
(defaults :unknown-tool :deny)
`

// R20, R40: a tool that fails, is slow, breaks off or lies ends the run with what was done made up for,
// in one Result that says why (R14, R22). The run never ends in silence.
func TestR40_WhateverAToolDoesTheRunHasAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		does   func(tool string, c act.Call) act.Receipt
		status string
		why    string
		undone bool
	}{
		"well": {func(tool string, _ act.Call) act.Receipt {
			return act.Receipt{State: act.Done, Result: resultWith("7")}
		}, statusOK, "", false},
		"not found": {func(tool string, c act.Call) act.Receipt {
			if tool == "read" {
				return act.Receipt{State: act.Failed, Error: "404 not found"}
			}
			return act.Receipt{State: act.Done}
		}, statusPartial, "step look: 404 not found", true},
		"it lies": {func(tool string, c act.Call) act.Receipt { return act.Receipt{State: act.Done, Text: "all is well"} },
			statusPartial, "step look: it returned no result.id", true},
		"the first fails": {func(tool string, c act.Call) act.Receipt {
			if c.Action.Args().GetText("image") == "1" {
				return act.Receipt{State: act.Nothing, Error: "503"}
			}
			return act.Receipt{State: act.Done}
		}, statusRefused, "step set: 503", false},
		"slow": {func(tool string, c act.Call) act.Receipt {
			if c.Action.Args().GetText("image") == "1" {
				waitMS(50)
			}
			return act.Receipt{State: act.Done, Result: resultWith("7")}
		}, statusPartial, "and its budget is 5 ms", true},
	} {
		t.Run(name, func(t *testing.T) {
			budget := 600_000
			if name == "slow" {
				budget = 5
			}
			b := newBench(t, allRules, fmt.Sprintf(slow, budget))
			b.w.does = c.does
			r := b.does("x.slow", `()`)
			assert.LessOrEqual(t, (len(r.Text)+3)/4, 50, "R14")
			run, err := b.begun(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.status, run.Status, run.Result())
			assert.Contains(t, run.Result(), c.why)
			assert.Equal(t, c.undone, strings.Contains(fmt.Sprint(b.w.calls), `set (:image "0"`))
			got, err := b.e.Hosts().Logs().Read(t.Context(), run.Log)
			require.NoError(t, err)
			n := 0
			for _, e := range got.Events {
				if e.Kind == kindApplied {
					n++
				}
			}
			assert.Equal(t, 1, n, "R22: one Result")
			b.sound(0)
		})
	}
}

// R29: a version goes through its states in order, and never changes.
func TestR29_AVersionNeverChanges(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	changed := strings.Replace(deploy, "a restart changes", "restarting changes", 1)
	require.ErrorIs(t, b.caps.Register(t.Context(), read(t, changed), "op"), ErrVersion)
	require.NoError(t, b.caps.Register(t.Context(), read(t, deploy), "op"), "the same again changes nothing")
	require.ErrorIs(t, b.caps.Move(t.Context(), "deploy.appservice", "1.0.0", OnTrial, "op", ""), ErrState)

	second := read(t, strings.Replace(deploy, `"1.0.0"`, `"1.1.0"`, 1))
	require.NoError(t, b.caps.Register(t.Context(), second, "op"))
	require.ErrorIs(t, b.caps.Move(t.Context(), second.ID, "1.1.0", InForce, "op", ""), ErrState, "it was not on trial")
	for _, s := range []State{Tested, OnTrial} {
		require.NoError(t, b.caps.Move(t.Context(), second.ID, "1.1.0", s, "op", ""))
	}
	card := b.asks("deploy.appservice", fmt.Sprintf(`(:app "shop" :image "v2" :plan %q)`, second.Hash()))
	keys := []string{}
	for _, s := range card.Slots {
		keys = append(keys, s.Reason.Key)
	}
	assert.Contains(t, keys, "deploy.appservice/trial", "on trial each start asks")
	require.NoError(t, b.caps.Move(t.Context(), second.ID, "1.1.0", InForce, "op", ""))
	all, err := b.caps.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Retired, all[0].State, "the one that was in force")
	assert.Equal(t, InForce, all[1].State)
	b.replays()
}

// The record of a start that was denied, asked or allowed is derived again with 0 differences, with its
// stages, score and card (R25); and each effect has its own allow over its bytes (I1).
func TestR25_AGoldenRecordReplays(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	b.approve(b.asks("deploy.appservice", `(:app "shop" :image "v2")`).Token)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	b.does("deploy.appservice", `(:app "shop" :image "v2")`)
	_, err := b.e.Do(t.Context(), b.action("deploy.appservice", `(:app "shop")`), b.facts())
	require.Error(t, err)
	kinds := map[string]int{}
	require.NoError(t, b.e.Journal().Records(1, func(r cortex.Record) error {
		kinds[r.Kind]++
		return nil
	}))
	assert.Greater(t, kinds[record.KindDecision], 6)
	b.e = b.m.Start()
	b.sound(0)
}
