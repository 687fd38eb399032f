package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rules for coding agents have the unattended places, and the page all of them.
func TestTheTableOfPlacesIsTheOneOfRulesAndPage(t *testing.T) {
	list, page := "(deflist unattended\n", "| what | in the home | anywhere | answer |\n|---|---|---|---|\n"
	answers := map[Kind]string{Keys: "ask, or deny", Guard: "deny, to read it too", Unattended: "ask, to write it"}
	for _, p := range Places() {
		if p.Kind == Unattended {
			list += fmt.Sprintf("  ; %s\n", p.What)
			list += fmt.Sprintf("  %q\n", p.Glob)
		}
		page += fmt.Sprintf("| %s | %s | %s | %s |\n", p.What, code(p.Home), code(strings.Fields(p.Glob)), answers[p.Kind])
	}
	for file, want := range map[string]string{"examples/skills/coding/tools.lisp": strings.TrimSuffix(list, "\n") + ")\n",
		"docs/coding-agents.md": page} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		require.NoError(t, err)
		assert.True(t, strings.Contains(string(text), want), "%s is to have:\n%s", file, want)
	}
}

func code(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "` `") + "`"
}

// Variables move the folders of hosts, and the places go with them; the order is always the same.
func TestOutOfBounds(t *testing.T) {
	env := map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "CLAUDE_CONFIG_DIR": "/cl",
		"CODEX_HOME": "rel"}
	got := OutOfBounds("/home/ana", func(name string) string { return env[name] })
	for _, want := range []string{"/home/ana/.config/cortex", "/c/cortex", "/s/cortex", "/cl/settings.json",
		"/cl/.claude.json", "/home/ana/.claude/settings.json", "/home/ana/.codex/hooks.json"} {
		assert.Contains(t, got, want)
	}
	assert.NotContains(t, got, "rel/hooks.json")
	assert.NotContains(t, got, "/home/ana/.ssh")
	for range 20 {
		assert.Equal(t, got, OutOfBounds("/home/ana", func(name string) string { return env[name] }))
	}
}

// A folder in one of the places is not a project either, except for the worktrees of a host.
func TestNoProjectLiesInAPlace(t *testing.T) {
	for dir, want := range map[string]bool{".ssh/keys": false, ".config/systemd/user": false, ".local/bin/x": false,
		".claude/skills/x": false, ".config/cortex/worktrees/x": false, ".ssh/worktrees/x": false,
		".codex/worktrees": false, ".codex/worktrees/x": true, ".cursor/worktrees/x/y": true, "src/app": true,
		".config/nvim": true} {
		assert.Equal(t, want, Fits(filepath.Join("/home/ana", dir), "/home/ana"), dir)
	}
	assert.False(t, Fits("/etc/codex", "/home/ana"))
	assert.False(t, Fits("/etc", "/home/ana"))
}
