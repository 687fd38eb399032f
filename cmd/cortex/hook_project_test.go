package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naming has each host's way to name a command and the folders of its project.
var naming = map[string]func(t *testing.T, w hookWorld, cwd, line string, roots ...string) (map[string]any, []string){
	"claude": func(_ *testing.T, _ hookWorld, cwd, line string, roots ...string) (map[string]any, []string) {
		return map[string]any{"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
				"tool_input": map[string]any{"command": line}, "tool_use_id": line},
			[]string{"CLAUDE_PROJECT_DIR=" + strings.Join(roots, "")}
	},
	"codex": func(t *testing.T, w hookWorld, cwd, line string, roots ...string) (map[string]any, []string) {
		first, err := json.Marshal(map[string]any{"type": "session_meta",
			"payload": map[string]any{"cwd": strings.Join(roots, "")}})
		require.NoError(t, err)
		file := filepath.Join(w.home, ".codex/rollout.jsonl")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, append(first, '\n'), 0o600))
		return map[string]any{"session_id": "s", "transcript_path": file, "cwd": cwd, "hook_event_name": "PreToolUse",
			"model": "m", "turn_id": "1", "tool_name": "Bash", "tool_input": map[string]any{"command": line},
			"tool_use_id": line}, nil
	},
	"gemini": func(_ *testing.T, _ hookWorld, _, line string, roots ...string) (map[string]any, []string) {
		return map[string]any{"session_id": "s", "cwd": strings.Join(roots, ""), "hook_event_name": "BeforeTool",
			"timestamp": "2026-01-02T03:04:05Z", "tool_name": "run_shell_command",
			"tool_input": map[string]any{"command": line}}, nil
	},
	"cursor": func(_ *testing.T, _ hookWorld, cwd, line string, roots ...string) (map[string]any, []string) {
		return map[string]any{"conversation_id": "s", "generation_id": "g", "hook_event_name": "beforeShellExecution",
			"workspace_roots": roots, "command": line, "cwd": cwd}, nil
	},
	"copilot": func(t *testing.T, _ hookWorld, _, line string, roots ...string) (map[string]any, []string) {
		args, err := json.Marshal(map[string]string{"command": line})
		require.NoError(t, err)
		return map[string]any{"sessionId": "s", "timestamp": 1704614400000, "cwd": strings.Join(roots, ""),
			"toolName": "bash",
			"toolArgs": string(args)}, nil
	},
}

// The project is what the host names, and not what its process stands in: an editor that was started
// from the desktop stands in / or in the home, and nothing else of either is a project.
func TestI1_TheWorkspaceIsTheProject(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		other := filepath.Join(w.home, "src/other")
		for dialect, event := range naming {
			ask := func(cwd, line string, roots ...string) (bool, string) {
				in, env := event(t, w, cwd, line, roots...)
				return w.hook(dialect, in, env...)
			}
			for _, stands := range []string{"/", w.home, w.project, filepath.Join(w.project, "src")} {
				t.Chdir(stands)
				allowed, said := ask(w.project, "ls src", w.project)
				assert.True(t, allowed, "%s from %s: ls: %s", dialect, stands, said)
				for _, line := range []string{"cat " + filepath.Join(w.home, "diary.txt"), "cat /etc/shadow",
					"rm -rf " + other, "cat ~/main.go", `cat "$HOME/main.go"`} {
					allowed, said = ask(w.project, line, w.project)
					assert.False(t, allowed, "%s from %s: %s: %s", dialect, stands, line, said)
				}
			}
			for what, root := range map[string]string{"the root": "/", "the home": w.home,
				"above the home":    filepath.Dir(w.home),
				"a protected place": filepath.Join(w.home, ".ssh")} {
				t.Chdir(root)
				allowed, said := ask(root, "ls", root)
				assert.False(t, allowed, "%s: %s is a project: %s", dialect, what, said)
				assert.True(t, asked(said), "%s: %s: %s", dialect, what, said)
			}
			if dialect == "cursor" {
				continue // one process for all of its windows
			}
			t.Chdir(other)
			allowed, said := ask(w.project, "ls src", w.project)
			assert.False(t, allowed, "%s stands in another project than it names: %s", dialect, said)
		}
	})
}

// A person sees which project a decision went by.
func TestTheProjectIsExplained(t *testing.T) {
	w := newHookWorld(t, false)
	explained := func(text string) func() bool {
		return func() bool {
			for id := range 60 {
				out, _ := command(w.place, "explain", fmt.Sprint(id), "--dir", w.path("state")).Output()
				if strings.Contains(string(out), text) {
					return true
				}
			}
			return false
		}
	}
	allowed, said := w.claude(bash("ls src"))
	require.True(t, allowed, said)
	assert.True(t, explained(fmt.Sprintf("project    %q\n", w.project))())
	in, env := naming["claude"](t, w, w.project, "ls")
	allowed, said = w.hook("claude", in, env...)
	require.False(t, allowed, said)
	assert.True(t, explained("project    none: the host names none")())
}

// Where a host names nothing, all is asked about.
func TestI1_NoProjectIsNamed(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		for _, dialect := range []string{"claude", "cursor"} {
			for _, line := range []string{"ls", "rm -rf build"} {
				in, env := naming[dialect](t, w, w.project, line)
				allowed, said := w.hook(dialect, in, env...)
				assert.False(t, allowed, "%s: %s: %s", dialect, line, said)
				assert.True(t, asked(said), "%s: %s: %s", dialect, line, said)
			}
		}
	})
}

// A project may have several folders, and a command may start in one of them, or elsewhere.
func TestSeveralFoldersAreOneProject(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		other := filepath.Join(w.home, "src/other")
		for line, want := range map[string]bool{"cat " + other + "/t.txt": true, "rm -rf " + other + "/deep": true,
			"cat " + w.home + "/diary.txt": false} {
			in, env := naming["cursor"](t, w, w.project, line, w.project, other)
			allowed, said := w.hook("cursor", in, env...)
			assert.Equal(t, want, allowed, "%s: %s", line, said)
		}
		in, env := naming["cursor"](t, w, "/etc", "cat passwd", w.project)
		allowed, said := w.hook("cursor", in, env...)
		assert.False(t, allowed, "the command's own folder is not a project: %s", said)

		// Worktrees of the host lie in a folder of which all else is written by a person.
		for path, want := range map[string]bool{".claude/worktrees/x/src/a.go": true, ".claude/hooks/x": false,
			".claude/worktrees/x/.claude/settings.json": false, ".claude/settings.json": false} {
			allowed, said := w.claude("Write", map[string]any{"file_path": filepath.Join(w.project, path), "content": "x"})
			assert.Equal(t, want, allowed, "%s: %s", path, said)
		}
	})
}

// Folders that a host was started with belong to the project, too. Here awk is the host.
func TestAddedFoldersBelongToTheProject(t *testing.T) {
	awk, err := exec.LookPath("awk")
	require.NoError(t, err)
	w := newHookWorld(t, true)
	cortex := w.path("cortex")
	require.NoError(t, os.Symlink(executable(t), cortex)) // under this name a test binary is the program
	in, err := json.Marshal(map[string]any{"session_id": "s", "cwd": w.project, "hook_event_name": "PreToolUse",
		"tool_name": "Read", "tool_input": map[string]any{"file_path": "../other/t.txt"}, "tool_use_id": "1"})
	require.NoError(t, err)
	for args, want := range map[string]bool{"--add-dir ../other": true, "--add-dir=../other": true,
		"--model ../other": false} {
		program := fmt.Sprintf(`BEGIN { system("%s hook --dialect claude --standalone") }`, cortex)
		cmd := exec.Command(awk, append([]string{program}, strings.Fields(args)...)...)
		cmd.Dir, cmd.Stdin = w.project, bytes.NewReader(in)
		cmd.Env = append(command(w.place).Env, "HOME="+w.home, "CLAUDE_PROJECT_DIR="+w.project)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, want, strings.Contains(string(out), `"allow"`), "%s: %s", args, out)
	}
}

// A folder that is added while a session runs is one of the project only if the host names it as that: neither the
// words of a prompt nor an event that a tool could send as well add one.
func TestI6_AFolderAddedInASessionIsNoneOfTheProject(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		other := filepath.Join(w.home, "src/other")
		for _, event := range []map[string]any{
			{"hook_event_name": "UserPromptSubmit", "prompt": "/add-dir " + other},
			{"hook_event_name": "DirectoryAdded", "directory": other},
		} {
			event["session_id"], event["cwd"] = "s", w.project
			w.hook("claude", event, "CLAUDE_PROJECT_DIR="+w.project)
			for _, tool := range []string{"Read", "cat", "Write"} {
				allowed, said := w.claude(pathTools[tool].call(filepath.Join(other, "t.txt")))
				assert.False(t, allowed, "%s after %s", tool, event["hook_event_name"])
				assert.True(t, asked(said), "%s: %s", tool, said)
			}
		}
	})
}

// Outside of the project some places are read, and none is written.
func TestWhatIsReadOutsideTheProject(t *testing.T) {
	page, err := os.ReadFile("../../docs/coding-agents.md")
	require.NoError(t, err)
	rows := []string{
		"| the places of `readable` in `tools.lisp`: headers, toolchains, module caches | tools and commands | allow |\n",
		"| the names in the folder above the project | the host's tool that lists files, `ls ..` | allow |\n",
		"| what lies in the folder above the project | tools and commands | ask |\n",
		"| temporary files, also those of the session | tools and commands | ask |\n",
	}
	assert.Contains(t, string(page), strings.Join(rows, "")+"\n")
	both(t, func(t *testing.T, w hookWorld) {
		module := filepath.Join(w.home, "go/pkg/mod/x.org/y@v1/a.go")
		require.NoError(t, os.MkdirAll(filepath.Dir(module), 0o700))
		require.NoError(t, os.WriteFile(module, nil, 0o600))
		require.NoError(t, os.Symlink(filepath.Join(w.home, ".ssh"), filepath.Join(filepath.Dir(module), "keys")))
		temporary := filepath.Join(os.TempDir(), "x.txt")
		for _, c := range []struct {
			tool, path string
			row        int // of the page; -1 for what is not in it
			want       bool
		}{
			{"Read", module, 0, true}, {"cat", module, 0, true}, {"Grep", filepath.Dir(module), 0, true},
			{"Write", module, -1, false}, {">", module, -1, false}, {"cp", module, -1, false},
			{"Read", filepath.Join(filepath.Dir(module), "keys/authorized_keys"), -1, false},
			{"cat", filepath.Join(filepath.Dir(module), "keys/authorized_keys"), -1, false},
			{"Read", "/etc/passwd", -1, false}, {"names", filepath.Join(w.home, "go/pkg/mod") + "/../../../*", -1, false},
			{"LS", "..", 1, true}, {"ls", "..", 1, true}, {"ls", "../", 1, true}, {"ls -la", "..", 1, true},
			{"LS", "../..", -1, false}, {"ls", "../..", -1, false}, {"ls -R", "..", 2, false}, {"ls", "../other", 2, false},
			{"Read", "../other/t.txt", 2, false}, {"cat", "../other/t.txt", 2, false},
			{"cat", temporary, 3, false}, {"Read", temporary, 3, false},
		} {
			if c.row >= 0 {
				assert.Equal(t, c.want, strings.HasSuffix(rows[c.row], "| allow |\n"), "%s %s", c.tool, c.path)
			}
			call := pathTools[c.tool].call
			if strings.HasPrefix(c.tool, "ls") {
				call = func(path string) (string, map[string]any) { return bash(c.tool + " " + path) }
			}
			allowed, said := w.claude(call(c.path))
			assert.Equal(t, c.want, allowed, "%s %s: %s", c.tool, c.path, said)
		}
	})
}
