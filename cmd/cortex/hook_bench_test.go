package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// How long a hook takes from the start of its process to its end: a call that is allowed, with
// the rules that ship, by a daemon on a real disk and without one. A start of the program that
// does nothing is beside it. Each call is finished, as hosts do.
func BenchmarkHook(b *testing.B) {
	program, err := plainProgram()
	require.NoError(b, err)
	pl := newPlace(b)
	var folders []string
	for _, name := range []string{"coding", "hosts"} {
		at, err := filepath.Abs("../../examples/skills/" + name)
		require.NoError(b, err)
		folders = append(folders, fmt.Sprintf("%q", at))
	}
	pl.alter("c.toml", `"rules"`, strings.Join(folders, ", "))
	pl.start("--trust-rules")
	b.Chdir(pl.path("work")) // as a host stands in its project
	run := func(in string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdin = pl.path("work"), strings.NewReader(in)
		cmd.Env = append(command(pl).Env, "CLAUDE_PROJECT_DIR="+pl.path("work"))
		out, err := cmd.Output()
		require.NoError(b, err)
		return string(out)
	}
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			run("", "version")
		}
	})
	for name, args := range map[string][]string{
		"daemon":     {"hook", "--dialect", "claude", "--no-start", "--socket", pl.path("run/c.sock")},
		"standalone": {"hook", "--dialect", "claude", "--standalone"},
	} {
		b.Run(name, func(b *testing.B) {
			event := func(i int, kind, more string) string {
				return fmt.Sprintf(`{"session_id":"b","cwd":%q,"hook_event_name":%q,"tool_name":"Bash",`+
					`"tool_input":{"command":"ls"},"tool_use_id":"%s%d"%s}`, pl.path("work"), kind, name, i, more)
			}
			for i := 0; b.Loop(); i++ {
				require.Contains(b, run(event(i, "PreToolUse", ""), args...), `"allow"`)
				b.StopTimer()
				run(event(i, "PostToolUse", `,"tool_response":{"stdout":"a\n"}`), args...)
				b.StartTimer()
			}
		})
	}
}
