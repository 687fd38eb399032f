package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The way of docs/capabilities.md from a plan on paper to one in force is typed in. Only the test waits
// where a reader would see that it is time.
func TestTheCapabilitiesPageCanBeFollowed(t *testing.T) {
	page, err := os.ReadFile("../../docs/capabilities.md")
	require.NoError(t, err)
	minutes, _, ok := strings.Cut(string(page), "\n## States\n")
	require.True(t, ok)
	until := func(condition string) string {
		return "until " + condition + "; do read -t 0.05 <> <(:) || true; done\n"
	}
	const pending = "cortex approvals list | grep -q pending"
	over := until(`cortex capability list --json | grep -q site && ! cortex capability stats | grep -q "[1-9] running"`)
	n := typed(t, newPlace(t), minutes, func(command string) string {
		if daemon, ok := strings.CutSuffix(command, "&\n"); ok {
			return daemon + "> out 2> log &\n" + until("grep -qs ^ready: out")
		}
		command = strings.ReplaceAll(command, "RUN",
			`$(cortex journal list | grep -o "run-[0-9a-f]*" | tail -n 1)`)
		wait := ""
		if strings.Contains(command, "TOKEN") && !strings.Contains(command, "(outcome") {
			wait = until(pending) + `TOKEN=$(cortex approvals list | grep -o "^[a-z0-9]*")` + "\n"
			command = strings.ReplaceAll(command, "TOKEN", "$TOKEN")
		}
		command = strings.ReplaceAll(command, `'(outcome "TOKEN" :wait t)'`, `"(outcome \"$TOKEN\" :wait t)"`)
		switch {
		case strings.HasPrefix(command, "cortex approvals list"):
			wait = until(pending)
		case strings.HasPrefix(command, "cortex capability show"):
			wait = over
		}
		return wait + command
	})
	assert.Equal(t, 32, n, "commands of the page")
}
