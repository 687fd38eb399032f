package hooks

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCanonical(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-x\n+y\n" +
		"*** Add File: c.go\n+*** Add File: no\n*** Delete File: d.go\n*** End Patch"
	quoted, err := json.Marshal(patch)
	require.NoError(t, err)
	for _, c := range []struct{ dialect, tool, input, as, args, says string }{
		{"claude", "Bash", `{"command":"go test","timeout":5000,"run_in_background":true,"description":"tests"}`, "shell", `{"cmd":"go test","timeout-ms":5000,"background":true}`, "tests"},
		{"claude", "Write", `{"file_path":"/w/a","content":"x"}`, "write-file", `{"path":"/w/a","content":"x"}`, ""},
		{"claude", "Bash", `{"command":"ls","new_switch":true}`, "shell", `{"cmd":"ls","new_switch":true}`, ""},
		{"claude", "mcp__files__read", `{"path":"a"}`, "mcp__files__read", `{"path":"a"}`, ""},
		{"claude", "TodoWrite", `{"todos":[]}`, "TodoWrite", `{"todos":[]}`, ""},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"it's"}`, "shell", `{"cmd":"cd 'it'\\''s' && ls"}`, ""},
		{"codex", "exec_command", `{"command":"ls","workdir":"/etc"}`, "shell", `{"cmd":"cd '/etc' && ls"}`, ""},
		{"codex", "apply_patch", `{"command":` + string(quoted) + `}`, "apply-patch", `{"patch":` + string(quoted) + `,"paths":["a.go","b.go","c.go","d.go"]}`, ""},
	} {
		d, err := Named(c.dialect)
		require.NoError(t, err)
		a, err := d.Table().Canonical(Event{Tool: c.tool, Input: json.RawMessage(c.input)})
		require.NoError(t, err, c.input)
		assert.Equal(t, c.as, a.Tool)
		assert.JSONEq(t, c.args, string(a.Args))
		assert.Equal(t, c.says, a.Explanation)
	}
}

func TestNotCanonical(t *testing.T) {
	_, err := codex{}.Table().Canonical(Event{Tool: "apply_patch", Input: json.RawMessage(`{"command":"*** Add File: a"}`), Start: "/etc"})
	require.ErrorContains(t, err, "another folder")
	for _, c := range []struct{ dialect, tool, input, want string }{
		{"claude", "Bash", `{"command":"ls","cmd":"rm"}`, `no argument "cmd"`},
		{"claude", "shell", `{"cmd":"ls"}`, `no tool "shell"`},
		{"claude", "Bash", `{"command":"ls","description":["x"]}`, "not a string"},
		{"claude", "Bash", `["ls"]`, "not a JSON object"},
		{"codex", "exec_command", `{"workdir":"/etc"}`, `"cmd" is missing`},
		{"codex", "exec_command", `{"command":["ls"],"workdir":"/etc"}`, "not a string"},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n*** End Patch"}`, "names no file"},
		{"codex", "apply_patch", `{"command":"*** Copy File: x"}`, "not known"},
		{"codex", "apply_patch", `{"command":"*** Add File: "}`, "names no file"},
		{"codex", "apply_patch", `{"command":"*** Add File: a","paths":["b"]}`, `no argument "paths"`},
	} {
		d, err := Named(c.dialect)
		require.NoError(t, err)
		_, err = d.Table().Canonical(Event{Tool: c.tool, Input: json.RawMessage(c.input)})
		assert.ErrorContains(t, err, c.want, c.input)
	}
}

func TestRewritten(t *testing.T) {
	for _, c := range []struct{ dialect, tool, input, args, want, err, start string }{
		{"claude", "Bash", `{"command":"ls","description":"look"}`, `{"cmd":"ls -l","timeout-ms":9}`, `{"command":"ls -l","description":"look","timeout":9}`, "", ""},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"/a"}`, `{"cmd":"cd '/a' && ls -l"}`, `{"command":"ls -l","dir_path":"/a"}`, "", ""},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"/a"}`, `{"cmd":"ls"}`, `{"command":"ls"}`, "", ""},
		{"codex", "apply_patch", `{"command":"*** Add File: a"}`, `{"patch":"*** Add File: b","paths":["b"]}`, `{"command":"*** Add File: b"}`, "", ""},
		{"codex", "apply_patch", `{"command":"*** Add File: a"}`, `{"patch":"*** Add File: b","paths":["a"]}`, ``, "exactly", ""},
		{"claude", "Bash", `{"command":"ls"}`, `{"cmd":"ls","description":"x"}`, ``, "exactly", ""},
		{"claude", "mcp__a__b", `{"x":1}`, `{"x":2}`, `{"x":2}`, "", ""},
		{"codex", "Bash", `{"command":"ls"}`, `{"cmd":"cd '/etc' && ls -l"}`, `{"command":"ls -l"}`, "", "/etc"},
		{"codex", "Bash", `{"command":"ls"}`, `{"cmd":"ls -l"}`, ``, "exactly", "/etc"},
	} {
		d, err := Named(c.dialect)
		require.NoError(t, err)
		got, err := d.Table().Rewritten(Event{Tool: c.tool, Input: json.RawMessage(c.input), Start: c.start},
			json.RawMessage(c.args))
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, c.args)
			continue
		}
		require.NoError(t, err, c.args)
		assert.JSONEq(t, c.want, string(got))
	}
}

// calls draws a call of a listed tool: arguments that the table knows, and others.
func calls(rt *rapid.T, t *Table) (string, object) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(t.tools))).Draw(rt, "tool")
	to := t.tools[name]
	keys := slices.Concat(slices.Sorted(maps.Keys(to.Args)), to.Says, []string{"other", "content", "path", "cmd"})
	if to.Folder != "" {
		keys = append(keys, to.Folder)
	}
	texts := []string{`"ls"`, `"a'b"`, `"cd 'x' && ls"`, `""`, `"*** Add File: a\n+x"`, `"*** Delete File: b"`}
	values := append(slices.Clone(texts), `7`, `true`, `[1,"a"]`, `{"k":"v"}`)
	o := object{}
	for range rapid.IntRange(0, 5).Draw(rt, "n") {
		key := rapid.SampledFrom(keys).Draw(rt, "key")
		from := values
		if slices.Contains(to.Says, key) || key == to.Folder || key == to.Patch {
			from = texts
		}
		o[key] = json.RawMessage(rapid.SampledFrom(from).Draw(rt, "value"))
	}
	return name, o
}

// From the host to rules and back is the identity. Two calls with one action differ in
// explanations at most, so an approval of one is not an approval of something else.
func TestTheMappingIsInvertible(t *testing.T) {
	mapped := 0
	for _, d := range Dialects() {
		table := d.Table()
		rapid.Check(t, func(rt *rapid.T) {
			name, o := calls(rt, table)
			raw, err := json.Marshal(o)
			require.NoError(rt, err)
			a, err := table.Canonical(Event{Tool: name, Input: raw})
			if err != nil {
				return
			}
			mapped++
			back, err := table.Rewritten(Event{Tool: name, Input: raw}, a.Args)
			require.NoError(rt, err, "%s %s", name, raw)
			require.JSONEq(rt, string(raw), string(back))

			_, p := calls(rt, table)
			other, err := json.Marshal(p)
			require.NoError(rt, err)
			b, err := table.Canonical(Event{Tool: name, Input: other})
			if err != nil || !same(a.Args, b.Args) {
				return
			}
			require.JSONEq(rt, effect(table, name, o), effect(table, name, p), "%s %s", raw, other)
		})
	}
	assert.Greater(t, mapped, 50, "most calls have an action")
}

// effect is an independent reading of what a call does: its arguments without those that are
// texts for people, and with the folder of a command written into it.
func effect(t *Table, name string, o object) string {
	o = maps.Clone(o)
	for _, key := range t.tools[name].Says {
		delete(o, key)
	}
	if key := t.tools[name].Folder; key != "" {
		var dir, line string
		if json.Unmarshal(o[key], &dir) == nil && dir != "" && json.Unmarshal(o["command"], &line) == nil {
			o["command"], _ = json.Marshal("cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' && " + line)
		}
		delete(o, key)
	}
	raw, _ := json.Marshal(o)
	return string(raw)
}

// No table renames two arguments to one name, or lists what the dialect's code does not know.
func TestTables(t *testing.T) {
	for _, d := range Dialects() {
		for name, to := range d.Table().tools {
			seen := map[string]bool{}
			for _, as := range to.Args {
				assert.False(t, seen[as], "%s %s has %s twice", d.Name(), name, as)
				seen[as] = true
			}
			assert.NotEmpty(t, to.As, name)
			if to.Folder != "" {
				assert.Equal(t, "cmd", to.Args["command"], name)
			}
			if to.Patch != "" {
				assert.Equal(t, "patch", to.Args[to.Patch], name)
			}
		}
	}
}
