package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first five minutes of docs/notes.md are typed in: files become notes, a model proposes to change
// one, a person approves, and goes back.
func TestTheNotesPageCanBeFollowed(t *testing.T) {
	page, err := os.ReadFile("../../docs/notes.md")
	require.NoError(t, err)
	minutes, _, ok := strings.Cut(string(page), "\n## What is kept\n")
	require.True(t, ok)
	until := func(condition string) string {
		return "until " + condition + "; do read -t 0.05 <> <(:) || true; done\n"
	}
	n := typed(t, newPlace(t), minutes, func(command string) string {
		if daemon, ok := strings.CutSuffix(command, "&\n"); ok {
			return daemon + "> out 2> log &\n" + until("grep -qs ^ready: out")
		}
		command = strings.ReplaceAll(command, "TOKEN", `$(cortex approvals list | grep -o "^[a-z0-9]*")`)
		if strings.HasPrefix(command, "cortex notes show Kitchen\n") {
			return until("cortex notes show Kitchen | grep -q blue") + command
		}
		return command
	})
	assert.Equal(t, 21, n, "commands of the page")
}
