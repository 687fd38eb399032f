package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/hooking"
	places "github.com/opencortex-go/cortex/internal/project"
)

// Each group of places x the tool that writes and a redirection x a daemon and none. What decides whether a hook judges
// is out of bounds, and a person is asked about the rest.
func TestI1_GuardedPlacesAreGuardedAlike(t *testing.T) {
	both(t, func(t *testing.T, w hookWorld) {
		guarded := map[string]bool{} // path: whether it is out of bounds
		for _, p := range places.Places() {
			for _, at := range p.Home {
				if !filepath.IsAbs(at) && !strings.Contains(at, " ") {
					guarded[filepath.Join(w.home, at)] = p.Kind == places.Guard
				}
				if testing.Short() {
					break
				}
			}
		}
		for _, path := range []string{"CLAUDE.md", "src/AGENTS.md", ".gemini/settings.json", ".codex/config.toml",
			".codex/hooks.json", ".github/hooks/cortex.json", ".copilot/hooks/x.json", ".bashrc", ".mcp.json"} {
			guarded[path] = false
		}
		for path, out := range guarded {
			for what, call := range map[string]func(string) (string, map[string]any){"Write": pathTools["Write"].call,
				">": pathTools[">"].call} {
				allowed, said := w.claude(call(path))
				assert.False(t, allowed, "%s %s", what, path)
				if out {
					assert.Contains(t, said, "belongs to the guard itself", "%s %s", what, path)
				} else {
					assert.True(t, asked(said) || strings.Contains(said, "coding-guards/keys"), "%s %s: %s", what, path, said)
				}
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(w.project, "CLAUDE.md"), []byte("Be brief.\n"), 0o600))
		for _, path := range []string{"CLAUDE.md", ".claude/settings.json"} {
			for _, name := range []string{"Read", "cat"} {
				allowed, said := w.claude(pathTools[name].call(path))
				assert.True(t, allowed, "%s %s: %s", name, path, said)
			}
		}
	})
}

// Whatever hook install may write is guarded: the user's settings are out of bounds, and those of a project ask.
func TestI1_WhatInstallWritesIsGuarded(t *testing.T) {
	w := newHookWorld(t, true)
	t.Setenv("HOME", w.home)
	for _, d := range hooks.Dialects() {
		for _, folder := range []string{"", w.project} {
			for _, moved := range []string{"", filepath.Join(w.home, "else")} {
				env := map[string]string{"CLAUDE_CONFIG_DIR": moved, "CODEX_HOME": moved}
				file, err := hooking.FileOf(d, folder, func(name string) string { return env[name] })
				require.NoError(t, err)
				tool, input := pathTools["Write"].call(file)
				allowed, said := w.hook("claude", map[string]any{"session_id": "s", "cwd": w.project,
					"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": file},
					"CLAUDE_PROJECT_DIR="+w.project, "CLAUDE_CONFIG_DIR="+moved, "CODEX_HOME="+moved)
				assert.False(t, allowed, file)
				what := fmt.Sprintf("%s: %s", file, said)
				if folder == "" {
					assert.Contains(t, said, "belongs to the guard itself", what)
				} else {
					assert.True(t, asked(said), what)
				}
			}
		}
	}
}
