package plans_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

func file(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(text)
}

func compile(text string) (*plans.Plan, error) {
	return plans.Compile(plans.Source{Name: "w", Text: []byte(text)}, plans.Options{})
}

// one is a workflow with one step, whose members are given.
func one(step string) string { return steps(`{"id":"a","title":"A",` + step + `}`) }

func steps(all string) string {
	return `{"id":"x.y","name":"n","version":"1.0.0","steps":[` + all + `]}`
}

func TestT01_MembersAreSorted(t *testing.T) {
	canonical(t, `{"b":2,"a":{"d":4,"c":3}}`, `{"a":{"c":3,"d":4},"b":2}`)
}
func TestT02_NumbersHaveOneText(t *testing.T) {
	canonical(t, `[333333333.33333329,1E30,4.50,2e-3,1e-27]`, `[333333333.3333333,1e+30,4.5,0.002,1e-27]`)
	canonical(t, `-0`, `0`)
}

func TestT03_KeysSortByUTF16(t *testing.T) {
	canonical(t, `{"€":1,"\r":2,"\ufb33":3,"1":4,"😀":5,"\u0080":6,"ö":7}`,
		"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}")
}

func canonical(t *testing.T, in, want string) {
	t.Helper()
	out, err := canon.JSON([]byte(in))
	require.NoError(t, err)
	assert.Equal(t, want, string(out))
}

func TestT04_WhatHasNoSingleMeaningIsRefused(t *testing.T) {
	for _, in := range []string{`NaN`, `1e400`, `"\ud800"`, `{"a":1,"a":2}`, "\"\xff\"", `{} {}`, `{"a":1}x`, ``} {
		_, err := canon.JSON([]byte(in))
		assert.Error(t, err, in)
	}
	inf := 1e308
	_, err := canon.Of(inf * 10)
	assert.Error(t, err)
}

func TestT06_OrderOfMembersDoesNotCount(t *testing.T) {
	a, err := compile(one(`"prompt":"p","runCondition":{"var":"x","gt":1,"lt":5}`))
	require.NoError(t, err)
	b, err := compile(`{"steps":[{"runCondition":{"lt":5,"gt":1,"var":"x"},"prompt":"p","title":"A","id":"a"}],
		"version":"1.0.0","name":"n","id":"x.y"}`)
	require.NoError(t, err)
	assert.Equal(t, a.Hash(), b.Hash())
	c, err := compile(one(`"prompt":"q","runCondition":{"var":"x","gt":1,"lt":5}`))
	require.NoError(t, err)
	assert.NotEqual(t, a.Hash(), c.Hash())
	d, err := compile(strings.Replace(one(`"prompt":"p","runCondition":{"var":"x","gt":1,"lt":5}`), "x.y", "x.z", 1))
	require.NoError(t, err)
	assert.NotEqual(t, a.Hash(), d.Hash(), "the id of the workflow is hashed")
}

func TestT07_FeaturesAreASet(t *testing.T) {
	with := func(features string) *plans.Plan {
		p, err := compile(
			strings.Replace(one(`"promptBlocks":{"goal":"g"}`), `"steps"`, `"features":[`+features+`],"steps"`, 1),
		)
		require.NoError(t, err)
		return p
	}
	a := with(`"wr.features.mode_guidance","wr.features.capabilities","wr.features.capabilities"`)
	assert.Equal(t, with(`"wr.features.capabilities","wr.features.mode_guidance"`).Hash(), a.Hash())
	require.Len(t, a.Features, 2)
	assert.Equal(t, "wr.features.capabilities", a.Features[0].ID)
	assert.Contains(t, a.Steps[0].Prompt, "## Constraints\n- If something")
}

func TestT08_DigestsHaveOneSpelling(t *testing.T) {
	good := canon.Digest([]byte("x")).String()
	_, err := sexpr.ParseDigest(good)
	require.NoError(t, err)
	for _, bad := range []string{"SHA256:" + good[7:], strings.ToUpper(good), good[:len(good)-1], good[7:]} {
		_, err := sexpr.ParseDigest(bad)
		assert.Error(t, err, bad)
	}
}

func TestT09_AllErrorsAreReported(t *testing.T) {
	_, err := compile(`{"id":"Bad ID","name":"","version":"1","stpes":[],"steps":[{"id":"A B","title":"t","prompt":"p"},
 {"id":"c","title":"t","prompt":"p"},{"id":"c","title":"t","prompt":"p"}]}`)
	for _, want := range []string{`w:1:7: "Bad ID" cannot be the id`, "name: found 0 characters", `"1" cannot be a version`,
		`unknown member "stpes" of the workflow; did you mean steps?`, `w:1:66: steps 1 id: "A B" cannot be an id`,
		`write "a_b"`, `w:2:44: the step "c" stands here a second time`} {
		assert.ErrorContains(t, err, want)
	}
	var list plans.ErrorList
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, 6)
}

func TestT11_IDsOfWorkflows(t *testing.T) {
	for _, c := range []struct {
		id     string
		kind   plans.Kind
		saving bool
		want   string
	}{
		{"wr.x", plans.KindProject, false, "reserved"}, {"cortex.x", plans.KindUser, false, "reserved"},
		{"wr.x", plans.KindBundled, false, ""}, {"a.b.c", plans.KindProject, false, "cannot be the id of a workflow"},
		{"legacy", plans.KindProject, false, ""}, {"leg-acy", plans.KindProject, true, `write "project.leg_acy"`},
	} {
		text := strings.Replace(one(`"prompt":"p"`), "x.y", c.id, 1)
		p, err := plans.Compile(
			plans.Source{Name: "w", Text: []byte(text), Kind: c.kind, Saving: c.saving},
			plans.Options{},
		)
		if c.want != "" {
			assert.ErrorContains(t, err, c.want, c.id)
			continue
		}
		require.NoError(t, err, c.id)
		assert.Equal(t, c.id == "legacy", len(p.Warnings) == 1)
	}
}

func TestT12_BothSpellingsGiveOnePlan(t *testing.T) {
	a, err := compile(file(t, "release.json"))
	require.NoError(t, err)
	b, err := compile(file(t, "release.lisp"))
	require.NoError(t, err)
	assert.Equal(t, string(a.Canonical()), string(b.Canonical()))
	assert.Equal(t, a.Hash(), b.Hash())
	again, err := plans.Load(a.Canonical())
	require.NoError(t, err)
	assert.Equal(t, a.Hash(), again.Hash())
	publish, ok := again.Step("publish")
	require.True(t, ok)
	holds, err := publish.When.Holds(sexpr.Plist("dryRun", false))
	require.NoError(t, err)
	assert.True(t, holds)
}

func TestWhatMustNotCompile(t *testing.T) {
	loop := func(loop, body string) string {
		return steps(`{"id":"l","type":"loop","title":"L","loop":{"type":"for","count":2` + loop + `},"body":` + body + `}`)
	}
	const body = `[{"id":"b","title":"B","prompt":"p"}]`
	tool := func(args string) string { return one(`"tool":"shell","args":` + args) }
	for _, c := range []struct{ name, text, want string }{
		{"T10 id", strings.Replace(one(`"prompt":"p"`), `"id":"a"`, `"id":"Phase 1"`, 1), `write "phase_1"`},
		{"T10 loop id", one(`"prompt":"p","loop":{"type":"while","maxIterations":2,"conditionSource":` +
			`{"kind":"artifact_contract","contractRef":"wr.contracts.loop_control","loopId":"a/b"}}`), `write "a_b"`},
		{"T13 twice", `(:id "x.y" :id "x.y")`, "w:1:12: the workflow: the key :id a second time"},
		{"T13 odd", `(:id "x.y" :name)`, "found 3 elements"},
		{"T13 macro", `(:id #.(x))`, "w:1:6"},
		{"T13 bracket", `(:id "x"`, "w:1:9"},
		{"T13 depth", strings.Repeat("(", 65) + strings.Repeat(")", 65), "depth 65"},
		{"T14 both", one(`"prompt":"p","promptBlocks":{"goal":"g"}`), "a prompt and prompt blocks"},
		{"T14 empty", one(`"promptBlocks":{}`), "empty"},
		{"T15 contract", one(`"prompt":"p","outputContract":{"contractRef":"wr.contracts.loop_contrl"}`),
			"did you mean wr.contracts.loop_control? (registered: "},
		{"T15 ref", one(`"promptBlocks":{"goal":[{"kind":"ref","refId":"wr.refs.x"}]}`), `unknown ref "wr.refs.x"`},
		{"T15 template", one(`"templateCall":{"templateId":"t"}`), `unknown template "t": none is registered`},
		{"T15 feature", strings.Replace(one(`"prompt":"p"`), `"steps"`, `"features":["f"],"steps"`, 1), `unknown feature "f"`},
		{"T16 no maximum", loop(``, body), "has no maxIterations"},
		{"T16 zero", loop(`,"maxIterations":0`, body), "found 0"},
		{"T16 too many", loop(`,"maxIterations":1001`, body), "found 1001"},
		{"T16 empty", loop(`,"maxIterations":2`, `[]`), "body: found 0 elements"},
		{"T16 missing", loop(`,"maxIterations":2`, `"zz"`), `"zz", which names no step`},
		{"T16 nested", loop(`,"maxIterations":2`, `[{"id":"b","type":"loop","title":"B","loop":{"type":"for","count":1,`+
			`"maxIterations":1},"body":`+body+`}]`), "do not nest"},
		{"T17 operator", one(`"prompt":"p","runCondition":{"var":"x","equal":1}`), `unknown operator "equal"; did you mean equals?`},
		{"T17 pattern", one(`"prompt":"p","runCondition":{"var":"x","matches":"("}`), "does not compile"},
		{"T58", one(`"person":{"kind":"choice","question":"q","choices":["a","b"]}`), "nonAssumable"},
		{"sentinel", one(`"prompt":"{{wr.zz}}"`), "nothing fills"},
		{"role", one(`"role":"r"`), "reserved"},
		{"needs", one(`"prompt":"p","needs":["q"]`), "which names no step"},
		{"slot in quotes", tool(`{"cmd":"git tag -m '{{x}}'"}`),
			"w:1:102: step a: in its command, byte 13, {{x}} stands inside quotes"},
		{"slot in quotes, plist", `(:id "x.y" :name "n" :version "1.0.0" :steps ((:id "a" :title "A" :tool "shell"
 :args (:cmd "echo \"{{ work.x }}\""))))`, "w:2:14: step a: in its command, byte 7, {{ work.x }} stands inside quotes"},
		{"slot in an expansion", tool(`{"command":"ls $(cat {{x}})"}`), "{{x}} stands in an expansion"},
		{"slot in a here-document", tool(`{"command":"cat <<E\n{{x}}\nE"}`), "{{x}} stands in a here-document"},
		{"slot as a name", tool(`{"run":{"command":"{{x}} a"}}`), "{{x}} stands as the name of a command"},
		{"slot in a comment", tool(`{"cmd":"ls # {{x}}"}`), "{{x}} stands where no word stands"},
		{"slot that is run", tool(`{"cmd":"eval {{x}}"}`),
			"its command cannot take values: nothing tells what comes after eval"},
		{"slot in an unreadable line", tool(`{"cmd":"[[ {{x}} = a ]]"}`), "[[ ]] is not read: use [ ]"},
		{"slot in a name", tool(`{"a":[{"{{x}}":1}]}`), `the name of the argument "{{x}}" has a slot`},
		{"slot in a loop", steps(`{"id":"l","type":"loop","title":"L","loop":{"type":"for","count":2,"maxIterations":2},` +
			`"body":[{"id":"b","title":"B","tool":"shell","args":{"cmd":"{{x}}"}}]}`), "step b: in its command"},
		{"sentinel in an argument", tool(`{"a":"{{wr.zz}}"}`), `nothing fills "{{wr.zz}}"`},
		{"sentinel in a question", one(`"person":{"kind":"answer","question":"{{wr.zz}}"}`), "nothing fills"},
	} {
		_, err := compile(c.text)
		assert.ErrorContains(t, err, c.want, c.name)
	}
}

// What looks like a slot that cannot be filled, and is none, or stands where any value may.
func TestWhatCompilesBesides(t *testing.T) {
	for _, args := range []string{`{"cmd":"docker ps --format '{{.Names}}'"}`, `{"cmd":"ls '$x' [[ <("}`,
		`{"script":"'{{x}}'"}`,
		`{"cmd":["sh","-c","{{x}}"]}`, `{"cmd":"cp {{x}} a/{{y}}.txt"}`, `{"cmd":{"a":"{{x}}"}}`} {
		_, err := compile(one(`"tool":"shell","args":` + args))
		assert.NoError(t, err, args)
	}
}

// A template stands in another file, so that its mistakes have the place of the step that calls it.
func TestSlotsOfTemplatesHaveThePlaceOfTheirCall(t *testing.T) {
	r := plans.NewRegistry()
	require.NoError(t, r.AddTemplate("t", []byte(`{"id":"routine-tag","name":"n","version":"1.0.0","steps":[{"id":"b","title":"B",
		"tool":"shell","args":{"cmd":"git tag '{{x}}'"}}]}`)))
	_, err := plans.Compile(plans.Source{Name: "w", Text: []byte(
		one(`"templateCall":{"templateId":"wr.templates.routine.tag"}`))}, plans.Options{Registry: r})
	assert.ErrorContains(t, err, "w:1:51: step a.b: in its command, byte 10, {{x}} stands inside quotes")
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		condition string
		work      sexpr.Value
		want      string
	}{
		{`{"var":"a","equals":"x"}`, sexpr.EmptyObject(), "false"},
		{`{"var":"a","not_equals":"x"}`, sexpr.EmptyObject(), "true"},
		{`{"var":"a","equals":"x"}`, sexpr.Plist("a", "x"), "true"},
		{`{"var":"a","equals":"x"}`, sexpr.Plist("a", 1), "error"},
		{`{"var":"a","gt":1}`, sexpr.Plist("a", "2"), "error"},
		{`{"var":"a.b","gt":1}`, sexpr.Plist("a", sexpr.Plist("b", 2)), "true"},
		{`{"var":"a"}`, sexpr.Plist("a", "x"), "true"},
		{`{"var":"a"}`, sexpr.EmptyObject(), "false"},
		{`{"var":"a","contains":"x"}`, sexpr.Plist("a", []string{"x"}), "true"},
		{`{"var":"a","in":["x","y"]}`, sexpr.Plist("a", "y"), "true"},
		{`{"not":{"or":[{"var":"a"},{"var":"b"}]}}`, sexpr.EmptyObject(), "true"},
	} {
		p, err := compile(one(`"prompt":"p","runCondition":` + c.condition))
		require.NoError(t, err, c.condition)
		holds, err := p.Steps[0].When.Holds(c.work)
		switch c.want {
		case "error":
			assert.ErrorContains(t, err, `(work "a")`, c.condition)
		default:
			assert.NoError(t, err, c.condition)
			assert.Equal(t, c.want == "true", holds, c.condition)
		}
	}
}

func TestRequiredCapabilitiesAreProbed(t *testing.T) {
	p, err := compile(
		strings.Replace(one(`"prompt":"p"`), `"steps"`, `"capabilities":{"web_browsing":"required"},"steps"`, 1),
	)
	require.NoError(t, err)
	require.Len(t, p.Steps, 2)
	assert.Equal(t, "web_browsing", p.Steps[0].Probe)
	assert.Equal(t, []string{"web_browsing"}, p.Capabilities.Required)
}

func TestTruncate(t *testing.T) {
	assert.Equal(t, strings.Repeat("x", 4083)+canon.Marker, canon.Truncate(strings.Repeat("x", 5000), 4096))
	assert.Equal(
		t,
		"sha256:232466fc",
		canon.Digest([]byte(canon.Truncate(strings.Repeat("x", 5000), 4096))).String()[:15],
	)
	assert.Len(t, canon.Truncate(strings.Repeat("\U0001F30D", 2000), 4096), 4093)
}

func FuzzCompile(f *testing.F) {
	f.Add(file(f, "release.json"))
	f.Add(file(f, "release.lisp"))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := compile(text)
		if err != nil {
			return
		}
		again, err := plans.Load(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.Hash(), again.Hash())
	})
}
