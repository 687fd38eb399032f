package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// said is a case without an action, as it is when a model is chosen.
func said(text string) *skills.Case {
	return skills.NewCase(nil, nil, &skills.Facts{
		Signal:  perceive.Signal{Sensor: perceive.UserInput, Text: text, Source: "repl"},
		Session: skills.Session{Roles: []string{"admin"}},
		Env:     sexpr.Plist("name", sexpr.Str("staging")),
	})
}

func TestRulesThatChooseModels(t *testing.T) {
	b := load(t, `
(defmodels long :when (> (len signal.text) 50) :use ("large") :priority 1 :doc "much to read")
(defmodels broken :when (= facts.env.nope "x") :use ("large") :priority 9)
(defmodels private :when (contains? signal.text "salary") :use ("local") :priority 5)
(defmodels admins :when (some session.roles (= it "admin")) :use ("small" "large"))
(defmodels rest :use ("large"))
`)
	tests := []struct{ text, rule, use string }{
		{"hello", "admins", "small large"},
		{strings.Repeat("long ", 20), "long", "large"},
		{"my salary " + strings.Repeat("long ", 20), "private", "local"},
	}
	for _, test := range tests {
		got := b.SelectModels(said(test.text))
		assert.Equal(t, test.rule, got.Rule)
		assert.Equal(t, test.use, strings.Join(got.Use, " "))
		require.Len(t, got.Faults, 1, "one that cannot be judged is passed over, and told of")
		assert.ErrorContains(t, got.Faults[0], "a.lisp:3:1: defmodels broken: ")
	}
	other := said("hello")
	other.Facts().Session.Roles = nil
	assert.Equal(t, "rest", b.SelectModels(other).Rule)
	var names []string
	for _, r := range b.ModelRules() {
		names = append(names, r.Name)
	}
	assert.Equal(t, []string{"broken", "private", "long", "admins", "rest"}, names, "by priority, then in order")
	assert.Equal(t, skills.ModelRule{Name: "long", Doc: "much to read", Use: []string{"large"}, Pos: "a.lisp:2:1"},
		b.ModelRules()[2])
	assert.Equal(t, skills.Selection{}, load(t, `(defskill s)`).SelectModels(said("x")))
}

// Order goes over files as they are loaded.
func TestModelRulesOfSeveralFiles(t *testing.T) {
	b, err := Load(folder(t, "a.lisp", `(defmodels first :use ("a")) (include "sub/z.lisp")`, "b.lisp",
		`(defmodels third :use ("c"))`, "sub/z.lisp", `(defmodels second :use ("b"))`))
	require.NoError(t, err)
	assert.Equal(t, "first", b.SelectModels(said("x")).Rule)
	assert.Len(t, b.ModelRules(), 3)
}

func TestModelRulesThatAreWrong(t *testing.T) {
	rows := []struct{ text, want string }{
		{`(defmodels)`, `a.lisp:1:1: defmodels has no name`},
		{`(defmodels "a b" :use ("x"))`, `a.lisp:1:12: defmodels has no fit name`},
		{`(defmodels a :use ("x")) (defmodels a :use ("x"))`, `defmodels a is defined twice, first at a.lisp:1:12`},
		{`(defmodels a)`, `a.lisp:1:1: defmodels a has no :use, expected names of model providers`},
		{`(defmodels a :use ())`, `expected names of model providers, each once and at most 16`},
		{`(defmodels a :use "x")`, `:use is "x", expected names of model providers`},
		{`(defmodels a :use (x))`, `:use is (x), expected names`},
		{`(defmodels a :use ("x" "x"))`, `each once`},
		{`(defmodels a :use (""))`, `expected names`},
		{`(defmodels a :use (` + strings.Repeat(`"x" `, 17) + `))`, `expected names`},
		{`(defmodels a :uses ("x"))`, `unknown key :uses in defmodels a; did you mean :use?`},
		{`(defmodels a :use ("x") :priority high)`, `:priority is high, expected an integer`},
		{`(defmodels a :use ("x") :when (frobnicate))`, `frobnicate`},
		{`(defmodels a :use ("x") :when 5)`, `a.lisp:1:`},
		{`(defmodels a :use ("x") :when (= action.tool "shell"))`,
			`a.lisp:1:31: defmodels a looks at the action, but the models are chosen before there is one`},
		{`(defmodels a :use ("x") :when (and t (not (has? action.args.x))))`, `looks at the action`},
		{`(defmodels a :use ("x") :when "action.tool == 'shell'")`, `looks at the action`},
		{`(defmodel a :use ("x"))`, `did you mean defmodels?`},
	}
	for _, row := range rows {
		_, err := Load(folder(t, "a.lisp", row.text))
		if assert.Error(t, err, row.text) {
			assert.Contains(t, err.Error(), row.want, row.text)
		}
	}
}

// Which model is asked decides nothing: a rulebook judges the same with and
// without such rules, and one that has nothing else allows nothing.
func TestModelRulesInfluenceNoGate(t *testing.T) {
	const judging = `
(defaults :unknown-tool :ask)
(deftool shell :params (:cmd string) :tier :allow)
(deflist bad "rm")
(defskill s :priority 5 :trigger (= action.tool "shell")
  :gate ((deny no :when (in action.args.cmd bad)) (ask maybe :when (= action.args.cmd "mv")) (rewrite short :when (= action.args.cmd "ls") :set (:cmd "ls -l"))))
(definvariant i :holds (not (= action.tool "never")))
`
	const choosing = `
(defmodels s :when (= signal.source "repl") :use ("a") :priority 100)
(defmodels i :use ("shell"))
(defmodels bad :when (in signal.text bad) :use ("rm"))
`
	without, with := load(t, judging), load(t, choosing+judging)
	for _, tool := range []string{"shell", "never", "other", ""} {
		assert.Equal(t, len(without.Skills(tool)), len(with.Skills(tool)))
		assert.Equal(t, len(without.Invariants(tool)), len(with.Invariants(tool)))
	}
	assert.Equal(t, without.Len(), with.Len())
	assert.Equal(t, without.UnknownTool(), with.UnknownTool())
	assert.Equal(t, len(without.Tools()), len(with.Tools()))
	for _, cmd := range []string{"rm", "mv", "ls", "cat"} {
		for _, tool := range []string{"shell", "never", "other"} {
			a := call(t, tool, fmt.Sprintf("(:cmd %q)", cmd))
			assert.Equal(t, judge(t, without, a, said("x").Facts()), judge(t, with, a, said("x").Facts()))
			assert.Equal(t, slots(t, without, a), slots(t, with, a), "what people are asked has the same name")
		}
	}
	only := load(t, choosing[:strings.Index(choosing, "(defmodels bad")])
	assert.True(t, only.Empty(), "they are no rules about actions")
	assert.Len(t, only.ModelRules(), 2)
	assert.NotEqual(t, without.Hash(), with.Hash(), "the files are what a rulebook is named by")
}

// slots are the keys of what people would be asked.
func slots(t *testing.T, b *Rulebook, a *skills.Action) (out []string) {
	t.Helper()
	c := skills.NewCase(a, nil, said("x").Facts())
	for _, s := range b.Skills(a.Tool()) {
		for _, g := range s.Gates {
			v, err := g.Judge(t.Context(), c)
			require.NoError(t, err)
			if ask, ok := v.(skills.Ask); ok {
				out = append(out, ask.Slot.Key.String())
			}
		}
	}
	return out
}
