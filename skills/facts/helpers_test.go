package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// shellTool has one argument of each kind that names paths and hosts.
var shellTool = &skills.Tool{Name: "shell", Params: []skills.Param{
	{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}},
	{Name: "path", Type: skills.Type{Kind: skills.KindPath}},
	{Name: "host", Type: skills.Type{Kind: skills.KindHost}},
	{Name: "url", Type: skills.Type{Kind: skills.KindURL}},
	{Name: "note", Type: skills.Type{Kind: skills.KindString}},
	{Name: "paths", Type: skills.Type{Kind: skills.KindList, Elem: &skills.Type{Kind: skills.KindPath}}},
	{Name: "opts", Type: skills.Type{Kind: skills.KindObject,
		Params: []skills.Param{{Name: "dir", Type: skills.Type{Kind: skills.KindPath}}}}},
	{Name: "any", Type: skills.Type{Kind: skills.KindAny}},
}}

// caseOf makes a case in /workspace, of a user whose home is /home/u.
func caseOf(t testing.TB, args sexpr.Value) *skills.Case {
	a, err := skills.NewAction("shell", args, "")
	require.NoError(t, err)
	return &skills.Case{
		Action: a, Tool: shellTool, Memo: map[string]any{},
		Facts: &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/u"),
			"path", sexpr.Str("/usr/bin:/bin"))},
	}
}

func commandCase(t testing.TB, cmd string) *skills.Case {
	return caseOf(t, sexpr.Plist("cmd", sexpr.Str(cmd)))
}

// call asks a function of the core.
func call(t testing.TB, c *skills.Case, name string, args ...any) (any, error) {
	core := Core()
	i := slices.IndexFunc(core, func(f Function) bool { return f.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return core[i].Call(c, args)
}

// render writes a value the way the tables below spell it: ? is unknown, a
// pattern is <text>.
func render(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = render(x)
		}
		return "[" + strings.Join(parts, " ") + "]"
	case Unknown:
		return "?"
	case Pattern:
		return "<" + v.Text + ">"
	case Word:
		return v.Text
	case map[string]any:
		if _, ok := v["op"]; ok {
			return v["op"].(string) + render(v["target"])
		}
		s := render(v["name"])
		for _, f := range []string{"flags", "operands", "redirects", "via"} {
			if xs := v[f].([]any); len(xs) > 0 {
				s += " " + f[:1] + render(xs)
			}
		}
		return "(" + s + ")"
	}
	return fmt.Sprint(v)
}

func shellOf(t testing.TB, cmd string) string {
	got, err := call(t, commandCase(t, cmd), "shell", cmd)
	if err != nil {
		return "error"
	}
	return render(got)
}

func asked(t testing.TB, c *skills.Case, name string, args ...any) string {
	got, err := call(t, c, name, args...)
	if err != nil {
		return "error"
	}
	return render(got)
}

func list(s ...string) []any {
	out := []any{}
	for _, x := range s {
		out = append(out, x)
	}
	return out
}
