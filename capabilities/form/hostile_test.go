package form_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/internal/hostile"
	"github.com/opencortex-go/cortex/sexpr"
)

// commandPlan is a capability with a step for each command: {{x}} is an input there, and {{y}} what
// an earlier step gave, as text of commands and as arguments.
func commandPlan(t testing.TB, commands []hostile.Command) *form.Capability {
	var steps strings.Builder
	for i, c := range commands {
		line := strings.ReplaceAll(c.Line, "{{y}}", "{{work.y}}")
		fmt.Fprintf(&steps, "(c%d :tool \"shell\" :args (:cmd %s) :undo (:tool \"shell\" :args (:cmd %s)))", i,
			sexpr.Str(line), sexpr.Str(line))
	}
	return one(t, `(defcapability h.h :version "1.0.0" :inputs (:x string) :once (:key (:x))
 :plan ((give :tool "read" :args (:whole "{{x}}" :list ("a" "{{x}}" (:deep "{{facts.ctx.x}}"))) :out (:y text) :undo "only reads")
  (place :tool "read" :args (:path "/srv/{{x}}/notes.txt"
         :url "https://api.example.net/v1/{{x}}/items?name={{x}}&n=1#{{x}}") :undo "only reads")`+steps.String()+`))`)
}

// What bash runs has the words that the plan wrote, with the values in their places, or the step is
// not rendered: for commands of steps and of what makes up for them.
func TestR05_HostileValuesInCommands(t *testing.T) {
	m, commands := hostile.NewMachine(t), hostile.Commands()
	c := commandPlan(t, commands)
	n := 10_000
	if testing.Short() {
		n = 4 * len(hostile.Values())
	}
	values, filled := hostile.Mixtures(n), make([]int, len(commands))
	for i, x := range values {
		k := i % len(commands)
		y := values[(i*7919+13)%n]
		if i%3 == 0 || k == 7 { // else few values would pass where two have to
			y = "plain"
		}
		seen := form.Seen{Inputs: sexpr.Plist("x", x), Work: sexpr.Plist("y", y)}
		a, err := c.Fill(&c.Steps[2+k], seen)
		undo, undoErr := c.FillUndo(&c.Steps[2+k], seen)
		require.Equal(t, err == nil, undoErr == nil)
		if err != nil {
			continue
		}
		filled[k]++
		require.Equal(t, a.Digest(), undo.Digest())
		line := a.Args().GetText("cmd")
		require.Empty(t, m.Broken(t, line, commands[k].Runs, x, y), "%.300q", line)
	}
	for k, count := range filled {
		assert.Positive(t, count, commands[k].Line)
	}
	t.Logf("%d values, filled in and run by command: %v", n, filled)
}

// A value that is a whole argument stands there as it is, in JSON too. In a path and a URL it stays
// the part that the plan gave it, or the step is not rendered.
func TestR05_HostileValuesInArguments(t *testing.T) {
	c := commandPlan(t, nil)
	passed, n := 0, 10_000
	if testing.Short() {
		n = 4 * len(hostile.Values())
	}
	for _, x := range hostile.Mixtures(n) {
		seen := form.Seen{Inputs: sexpr.Plist("x", x), Ctx: sexpr.Plist("x", x)}
		a, err := c.Fill(&c.Steps[0], seen)
		require.NoError(t, err, "%.100q", x)
		text, err := sexpr.ToJSON(a.Args())
		require.NoError(t, err)
		var back struct {
			Whole string
			List  []any
		}
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, x, back.Whole)
		require.Equal(t, []any{"a", x, map[string]any{"deep": x}}, back.List)

		a, err = c.Fill(&c.Steps[1], seen)
		if err != nil {
			require.NotContains(t, err.Error(), strings.Repeat("x", 100), "an error quotes no value")
			continue
		}
		passed++
		p := a.Args().GetText("path")
		require.Equal(t, path.Join("/srv", x, "notes.txt"), path.Clean(p))
		require.True(t, x == "." || path.Dir(path.Dir(p)) == "/srv", p)
		u, err := url.Parse(a.Args().GetText("url"))
		require.NoError(t, err)
		require.Equal(t, "api.example.net", u.Host)
		require.Equal(t, "/v1/"+x+"/items", u.Path)
		require.Equal(t, url.Values{"name": {x}, "n": {"1"}}, u.Query())
		require.Equal(t, x, u.Fragment)
	}
	assert.Positive(t, passed)
	t.Logf("%d values: all stand as whole arguments, %d in a path and a URL", n, passed)
}

// What is filled in is not looked at again for slots.
func TestR05_ValuesAreNoTemplates(t *testing.T) {
	c := commandPlan(t, nil)
	a, err := c.Fill(&c.Steps[0], form.Seen{Inputs: value(t, `(:x "{{facts.ctx.x}}")`), Ctx: value(t, `(:x "{{x}}")`)})
	require.NoError(t, err)
	assert.Equal(t, `(:list ("a" "{{facts.ctx.x}}" (:deep "{{x}}")) :whole "{{facts.ctx.x}}")`, a.Args().String())
}
