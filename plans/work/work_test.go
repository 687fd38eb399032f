package work_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

func object(t *testing.T, text string) sexpr.Value {
	v, err := sexpr.Reader{Limits: sexpr.Limits{Depth: 1000}}.FromJSON("", []byte(text))
	require.NoError(t, err)
	return v
}

func TestT45_Merge(t *testing.T) {
	for _, c := range []struct{ work, delta, want string }{
		{`{"a":1,"b":2}`, `{"b":null,"c":3}`, `{"a":1,"c":3}`},
		{`{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{`{"a":1}`, `{"a":{"x":null}}`, `{"a":{"x":null}}`},
		{`{"a":1}`, `{"a":null,"b":null}`, `{}`},
		{`{}`, `{}`, `{}`},
	} {
		before := object(t, c.work)
		got, _, err := work.Merge(before, nil, object(t, c.delta), work.FromAgent)
		require.NoError(t, err)
		text, err := sexpr.ToJSON(got)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(text))
		assert.True(t, sexpr.Equal(before, object(t, c.work)))
	}
}

func TestT46_ReservedKeysAndOtherShapes(t *testing.T) {
	for _, key := range []string{"__proto__", "constructor", "prototype"} {
		_, _, err := work.Merge(sexpr.EmptyObject(), nil, object(t, `{"`+key+`":1}`), work.FromAgent)
		assert.ErrorContains(t, err, key)
	}
	for _, text := range []string{`[1]`, `"x"`, `null`, `1`} {
		_, _, err := work.Merge(sexpr.EmptyObject(), nil, object(t, text), work.FromAgent)
		assert.ErrorContains(t, err, "expected an object")
	}
}

func TestT47_DepthIsNamedWithItsPath(t *testing.T) {
	_, err := work.Measure(object(t, strings.Repeat(`{"a":`, 64)+"1"+strings.Repeat("}", 64)))
	assert.NoError(t, err)
	for _, depth := range []int{65, 999} {
		_, err = work.Measure(object(t, `{"a":[`+strings.Repeat(`{"a":`, depth-2)+"1"+strings.Repeat("}", depth-2)+`]}`))
		assert.ErrorContains(t, err, "too deep at $.a[0].a.a")
	}
}

// No text of a model becomes a fact.
func TestGatesSeeNothingOfAnAgents(t *testing.T) {
	step := &plans.Step{
		ID:      "one",
		By:      plans.ByTool,
		Uses:    []string{"host", "person", "agent", "trusted", "prompt", "taken"},
		Gives:   []string{"trusted"},
		Trusted: true,
	}
	prompted := &plans.Step{ID: "two", By: plans.ByPrompt, Gives: []string{"prompt"}, Trusted: true}
	w, sources := sexpr.EmptyObject(), work.Sources(nil)
	put := func(key string, from work.Source) {
		var err error
		w, sources, err = work.Merge(w, sources, sexpr.Plist(key, sexpr.Str(key)), from)
		require.NoError(t, err)
	}
	put("host", work.FromHost)
	put("undeclared", work.FromHost)
	put("taken", work.FromHost)
	put("taken", work.FromAgent)
	put("person", work.FromPerson)
	put("agent", work.FromAgent)
	put("trusted", work.OutputSource(step, "trusted"))
	put("prompt", work.OutputSource(prompted, "prompt"))
	seen, err := work.Visible(w, sources, step)
	require.NoError(t, err)
	text, err := sexpr.ToJSON(seen)
	require.NoError(t, err)
	assert.Equal(t, `{"host":"host","person":"person","trusted":"trusted"}`, string(text))
	assert.Equal(t, work.FromOutput, work.OutputSource(step, "other"))

	w = w.With("host", sexpr.Str(strings.Repeat("x", work.MaxVisible)))
	_, err = work.Visible(w, sources, step)
	assert.ErrorContains(t, err, "expected at most 16384")
}

// An item of a list has the source of the list.
func TestLoopVariablesHaveSources(t *testing.T) {
	loop := &plans.Loop{Type: plans.LoopForEach, Items: "names", ItemVar: "item", IndexVar: "at", IterationVar: "pass"}
	for _, from := range []work.Source{work.FromAgent, work.FromHost} {
		seen, sources := work.InLoop(object(t, `{"names":["a","b"]}`), work.Sources{"names": from}, loop, 1)
		assert.Equal(t, "b", seen.GetText("item"))
		assert.Equal(t, []int64{1, 2}, []int64{seen.GetInt("at"), seen.GetInt("pass")})
		assert.Equal(t, from, sources["item"])
	}
}

// An agent sets what has no owner, and what its step gives.
func TestAnAgentYieldsToOwners(t *testing.T) {
	was := object(t, `{"agent":1,"host":1,"output":1,"person":1,"trusted":1}`)
	sources := work.Sources{"host": work.FromHost, "person": work.FromPerson, "trusted": work.FromTrusted,
		"output": work.FromOutput, "gone": work.FromPerson}
	for key, owner := range map[string]string{"host": "the host", "person": "a person", "trusted": "a trusted step"} {
		for _, delta := range []string{`{"agent":2,"` + key + `":2}`, `{"` + key + `":null}`} {
			_, err := work.Yield(was, sources, object(t, delta), []string{"agent"})
			assert.EqualError(t, err, "context: the key "+key+" was set by "+owner+", and the step does not give it")
			_, err = work.Yield(was, sources, object(t, delta), []string{key})
			assert.NoError(t, err)
		}
	}
	got, err := work.Yield(was, sources, object(t, `{"agent":2,"gone":3,"host":1,"output":2,"person":1}`), nil)
	require.NoError(t, err)
	assert.Equal(t, `(:agent 2 :gone 3 :output 2)`, got.String(), "what is repeated stays its owner's")
}
