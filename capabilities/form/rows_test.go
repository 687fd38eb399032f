package form_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// told are the mistakes of a row that Read tells.
func told(t *testing.T, row string) {
	t.Helper()
	n := 0
	for _, c := range mistakes {
		if c.row == row {
			_, err := form.Read("p", []byte(c.text))
			assert.ErrorContains(t, err, c.want, c.text)
			n++
		}
	}
	assert.Positive(t, n)
}

func TestR02_Compat(t *testing.T) {
	c := deploy(t)
	assert.Equal(t, form.Compat{Env: []string{"staging"}, Toolset: "v6", Repo: "github.com/acme/payments"}, c.Compat)
	assert.Zero(t, one(t, small(look)).Compat, "what is empty fits anywhere")
	told(t, "R02")
}

func TestR03_Signature(t *testing.T) {
	c := one(t, file(t, "testdata/container.json"))
	str := skills.Type{Kind: skills.KindString}
	assert.Equal(t, []form.Field{
		{Name: "app_name", Type: str, From: "facts.ctx.appservice", Required: true},
		{Name: "image_tag", Type: str, From: "facts.work.image_tag", Required: true},
		{Name: "prev_image_tag", Type: str, From: "facts.work.prev_image_tag"},
	}, c.Inputs)
	assert.Equal(t, []form.Field{{Name: "endpoint", Type: skills.Type{Kind: skills.KindURL}}}, c.Outputs)
	other := one(t, strings.Replace(file(t, "testdata/container.lisp"), "work.endpoint", "work.site", 1))
	assert.Equal(t, "site", other.Outputs[0].To)
	told(t, "R03")
}

// The tool asks for what no fact supplies, and takes a plan.
func TestR03_Tool(t *testing.T) {
	c := one(t, `(defcapability a.b :version "1.0.0" :doc "Does a." :required (:app :n :key)
 :inputs (:app (string :from facts.ctx.app) :n (integer 1 9) :key (string :secret t) :more (list string)) `+look+`)`)
	tool := c.Tool()
	assert.Equal(t, "(:app string :n (integer 1 9) :key string :more (list string) :plan string), required (:n :key)",
		tool.Signature())
	assert.Equal(t, "a.b", tool.Name)
	assert.Equal(t, "Does a.", tool.Doc)
	assert.Equal(t, skills.TierAllow, tool.Tier)
	assert.Equal(t, skills.EffectNone, tool.Effect)
	assert.Equal(t, []string{"key"}, tool.Secret)
	assert.True(t, form.IsTool(tool))
	_, err := tool.Check(value(t, `(:n 3 :key "k" :plan "sha256:0")`))
	assert.NoError(t, err)
	for _, args := range []string{`(:n 3)`, `(:n 10 :key "k")`, `(:n 3 :key "k" :other 1)`, `(:app 1 :n 3 :key "k")`} {
		_, err := tool.Check(value(t, args))
		assert.Error(t, err, args)
	}
}

// Conditions read the call and the facts.
func TestR04_Preconditions(t *testing.T) {
	c := one(t, small(`:needs (:tools ("shell") :when ((= facts.ctx.subscription facts.env.subscription)
   "action.args.app != 'prod' && facts.policy.open == true")) `+look))
	require.Len(t, c.Needs.When, 2)
	assert.Equal(t, []string{"shell"}, c.Needs.Tools)
	holds := func(i int, app, env string) (bool, error) {
		a, err := skills.NewAction("a.b", sexpr.Plist("app", app), "")
		require.NoError(t, err)
		return c.Needs.When[i].Holds(skills.NewCase(a, c.Tool(), &skills.Facts{Ctx: value(t, `(:subscription "s1")`),
			Env: value(t, env), Policy: value(t, `(:open t)`)}))
	}
	for _, x := range []struct {
		i        int
		app, env string
		want     bool
	}{
		{0, "x", `(:subscription "s1")`, true}, {0, "x", `(:subscription "s2")`, false}, {1, "x", `(:a 1)`, true},
		{1, "prod", `(:a 1)`, false},
	} {
		got, err := holds(x.i, x.app, x.env)
		assert.NoError(t, err)
		assert.Equal(t, x.want, got, x)
	}
	_, err := holds(0, "x", `(:a 1)`)
	assert.ErrorContains(t, err, "cannot be judged", "what is missing is an error, never an answer")
	told(t, "R04")
}

func TestR05_Plan(t *testing.T) {
	c := deploy(t)
	require.Len(t, c.Steps, 4)
	was, set, healthy := c.Steps[0], c.Steps[1], c.Steps[3]
	assert.Equal(t, []form.Out{{Name: "previous", Part: "text"}}, was.Out)
	assert.Equal(t, int64(1500), set.MS)
	assert.Equal(t, "shell", set.Undo.Tool)
	assert.Equal(t, 2, healthy.Retries)
	assert.True(t, healthy.Idempotent)
	assert.Equal(t, form.Budget{USD: 0.1, MS: 5000}, c.Budget)
	require.Len(t, c.Result, 1)
	assert.Equal(t, "endpoint", c.Result[0].Name)
	assert.Equal(t, "https://{{app}}.example.net", c.Result[0].Value.Text())
	told(t, "R05")
}

// An action is rendered from inputs, work and facts. Without a value there is none.
func TestR05_Fill(t *testing.T) {
	c := one(t, small(`:once (:key (:app)) :plan (
 (was :tool "show" :args (:of "{{app}}" :zone "{{facts.ctx.zone}}" :note "of {{app}}!") :out (:previous text :n result.n) :undo "only reads")
 (set :tool "shell" :args (:cmd "put {{app}} {{work.previous}} --n={{work.n}}" :list ("{{work.n}}" (:deep "{{app}}")))
      :undo (:tool "shell" :args (:cmd "put {{app}} {{work.previous}}")))
 (ask :tool "ask_person" :args (:question "Go on?") :undo "only reads")
 (plain :tool "shell" :args (:cmd "ls {{app}}") :undo "it is gone soon"))`))
	seen := form.Seen{Inputs: value(t, `(:app "my app")`), Work: value(t, `(:previous "it's" :n 7)`),
		Ctx: value(t, `(:zone (:a 1))`)}
	a, err := c.Fill(&c.Steps[1], seen)
	require.NoError(t, err)
	assert.Equal(t, "shell", a.Tool())
	assert.Equal(t, `(:cmd "put 'my app' 'it'\\''s' --n=7" :list (7 (:deep "my app")))`, a.Args().String())
	a, err = c.FillUndo(&c.Steps[1], seen)
	require.NoError(t, err)
	assert.Equal(t, `(:cmd "put 'my app' 'it'\\''s'")`, a.Args().String())
	_, err = c.FillUndo(&c.Steps[0], seen)
	assert.ErrorContains(t, err, "nothing makes up for step was: only reads")

	_, err = c.Fill(&c.Steps[0], seen)
	assert.EqualError(t, err, "step was fills in {{app}}, and its value is not made of letters, digits, ., _ and -, "+
		"expected a word of letters, digits, ., _ and -, without two dots in a row", "a longer text takes letters alone")
	seen.Inputs = value(t, `(:app "app")`)
	a, err = c.Fill(&c.Steps[0], seen)
	require.NoError(t, err)
	assert.Equal(t, `(:note "of app!" :of "app" :zone (:a 1))`, a.Args().String(), "a whole argument takes any value")
	_, err = c.Fill(&c.Steps[0], form.Seen{})
	assert.EqualError(t, err, "step was fills in {{app}}, which is not set\n"+
		"step was fills in {{facts.ctx.zone}}, which is not set")

	// An input is not taken from work, nor work from an input.
	_, err = c.Fill(&c.Steps[1], form.Seen{Inputs: value(t, `(:app "a" :previous "b" :n 1)`), Work: value(t, `(:app "c")`)})
	assert.EqualError(t, err, "step set fills in {{work.previous}}, which is not set\n"+
		"step set fills in {{work.n}}, which is not set")

	for i, open := range []bool{false, true, true, false} {
		assert.Equal(t, open, c.Open(&c.Steps[i]), c.Steps[i].Name)
	}
}

func TestR05_Result(t *testing.T) {
	c := one(t, small(`:outputs (:url url :n (integer 1 9)) :result (:n "{{work.n}}" :url "https://{{app}}.example.net/")
 :plan ((a :tool "x" :out (:n result.n) :undo "only reads"))`))
	out, err := c.ResultOf(form.Seen{Inputs: value(t, `(:app "pay")`), Work: value(t, `(:n 3)`)})
	require.NoError(t, err)
	assert.Equal(t, `(:n 3 :url "https://pay.example.net/")`, out.String())
	for app, want := range map[string]string{"pay/x": "the output url fills in {{app}}, and its value is not made of"} {
		_, err = c.ResultOf(form.Seen{Inputs: sexpr.Plist("app", app), Work: value(t, `(:n 3)`)})
		assert.ErrorContains(t, err, want)
	}
	for work, want := range map[string]string{`(:n 12)`: ":n is 12, expected an integer from 1 to 9", `(:m 1)`: "not set"} {
		_, err = c.ResultOf(form.Seen{Inputs: value(t, `(:app "pay")`), Work: value(t, work)})
		assert.ErrorContains(t, err, want)
	}
}

// A once-key is over the values, not over their joined text.
func TestR05_OnceKey(t *testing.T) {
	key := func(id, parts, inputs, principal string) string {
		c := one(t, `(defcapability `+id+` :version "1.0.0" :inputs (:x any :y any) :once (:key (`+parts+`)) `+look2+`)`)
		d, ok := c.OnceKey(value(t, inputs), principal)
		require.True(t, ok)
		return d.String()
	}
	seen := map[string]string{}
	for _, c := range [][4]string{
		{"a.b", ":x :y", `(:x "a:b" :y "c")`, "p"}, {"a.b", ":x :y", `(:x "a" :y "b:c")`, "p"}, {"a.c", ":x :y", `(:x "a:b" :y "c")`, "p"},
		{"a.b", ":x :y", `(:x "1" :y "c")`, "p"}, {"a.b", ":x :y", `(:x 1 :y "c")`, "p"}, {"a.b", ":x :y", `(:x ("a" "b") :y "c")`, "p"},
		{"a.b", ":x", `(:x "a")`, "p"}, {"a.b", ":x", `(:x "" :y "a")`, "p"}, {"a.b", ":x", `(:y "a")`, "p"},
		{"a.b", `"q" :x`, `(:x "a")`, "p"}, {"a.b", `"q" :principal :x`, `(:x "a")`, "p1"}, {"a.b", `"q" :principal :x`, `(:x "a")`, "p2"},
	} {
		k := key(c[0], c[1], c[2], c[3])
		assert.Empty(t, seen[k], "%v", c)
		seen[k] = fmt.Sprint(c)
	}
	assert.Equal(t, key("a.b", ":x", `(:x "a" :y "b")`, "p"), key("a.b", ":x", `(:y "c" :x "a")`, "q"),
		"what the key does not name is not in it")
	assert.Equal(t, key("a.b", ":x", `(:x (:k 1 :l 2))`, "p"), key("a.b", ":x", `(:x (:l 2 :k 1))`, "p"))
	_, ok := one(t, small(look)).OnceKey(value(t, `(:app "a")`), "p")
	assert.False(t, ok, "without :once there is none")
}

// look2 is look without an input.
const look2 = `:plan ((look :tool "shell" :args (:cmd "ls") :undo "only reads"))`

// In a manifest a compensation belongs to the first step that does not say what makes up for it.
func TestR06_Compensation(t *testing.T) {
	c := one(t, `{"id": "a.b", "version": "1.0.0", "plan": {"idempotence_key": "x", "steps": [
 {"tool": "read", "args": {}, "undo": "only reads"}, {"name": "set", "tool": "w", "args": {"v": 1}}, {"tool": "w", "args": {}}],
 "compensation": [{"when": "partial_failure", "tool": "w", "args": {"v": 0}}]}}`)
	assert.Equal(t, []string{"step-1", "set", "step-3"}, []string{c.Steps[0].Name, c.Steps[1].Name, c.Steps[2].Name})
	assert.False(t, c.Steps[0].External())
	require.NotNil(t, c.Steps[1].Undo)
	assert.Equal(t, "(:v 0)", c.Steps[1].Undo.Args.String())
	assert.Equal(t, "the undo of set makes up for it", c.Steps[2].Why)
	assert.True(t, c.Steps[2].External())
	reads := one(t, `{"id": "a.b", "version": "1.0.0", "effects": {"external": []}, "plan": {"steps": [{"tool": "r", "args": {}}]}}`)
	assert.Equal(t, form.OnlyReads, reads.Steps[0].Why)
	told(t, "R06")
}

func TestR07_Offer(t *testing.T) {
	assert.Equal(t, form.Offer{Goals: []string{"deploy", "appservice"},
		Keywords: []string{"deploy", "release", "push image"},
		Weights:  form.Weights{Goal: 3, Keyword: 1, Recent: 1.5}, Tau: 3.5, Cooldown: 30, AtOnce: 3},
		one(t, file(t, "testdata/container.json")).Offer)
	told(t, "R07")
}

func TestR08_Parsers(t *testing.T) {
	assert.Equal(t, []form.Parser{{Input: "app_name", Model: "gpt-4o-2025-04", Prompt: "prompts/app_name_extract.v1"}},
		one(t, file(t, "testdata/container.json")).Parsers)
	told(t, "R08")
}

// Roles and deny_if are clauses beside the author's own.
func TestR09_Clauses(t *testing.T) {
	c := one(t, file(t, "testdata/container.json"))
	assert.Equal(t, `((deny roles :when (none session.roles (or (= it "ReleaseManager"))) `+
		`:reason "deploy.container.appservice is for others: it asks for the role ReleaseManager") `+
		`(deny deny-if-1 :when (= facts.policy.risk "high") `+
		`:reason "deploy.container.appservice is denied where policy.risk == 'high'"))`, c.Clauses().String())
	assert.Equal(t, 1, c.Gate.Len())
	assert.True(t, one(t, small(look)).Clauses().IsNil())
	told(t, "R09")
}

func TestR10_Tests(t *testing.T) {
	c := deploy(t)
	require.Len(t, c.Tests, 1)
	x := c.Tests[0]
	assert.Equal(t, "basic", x.Name)
	assert.Equal(t, []form.Stub{{Step: "was", Text: "acr.io/pay:1"}}, x.Stubs)
	assert.Equal(t, "ok", x.Expect.Status)
	assert.Equal(t, []string{"was", "set-image", "restart", "healthy"}, x.Expect.Steps)
	assert.Equal(t, form.Fuzz{Count: 50, Mutations: []string{"alt_image", "missing_slot"}}, c.Fuzz)
	assert.Equal(t, form.Rates{Unit: 0.95, Fuzz: 0.85}, c.MinRate)
	assert.Equal(t, []form.Test{{File: "tests/deploy_basic.json"}}, one(t, file(t, "testdata/container.json")).Tests)
	told(t, "R10")
}

func TestR11_Provenance(t *testing.T) {
	assert.Equal(t, form.Provenance{Traces: []string{"trace_2025-08-10T12:30Z"}, Support: 0.041, Success: 0.98,
		DeltaCost: -0.42, DeltaP95: -0.3}, one(t, file(t, "testdata/container.json")).From)
	assert.Zero(t, deploy(t).From)
	told(t, "R11")
}
