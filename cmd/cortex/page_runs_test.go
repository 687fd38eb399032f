package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first ten minutes of docs/runs.md are typed in: a workflow is written, a daemon takes it, an agent
// hands in steps, and a person answers. Only the test waits where a reader would see that it is time.
func TestTheRunsPageCanBeFollowed(t *testing.T) {
	page, err := os.ReadFile("../../docs/runs.md")
	require.NoError(t, err)
	minutes, _, ok := strings.Cut(string(page), "\n## Words\n")
	require.True(t, ok)
	until := func(condition string) string {
		return "until " + condition + "; do read -t 0.05 <> <(:) || true; done\n"
	}
	n := typed(t, newPlace(t), minutes, func(command string) string {
		if daemon, ok := strings.CutSuffix(command, "&\n"); ok {
			return daemon + "> out 2> log &\n" + until("grep -qs ^ready: out")
		}
		command = strings.ReplaceAll(command, "greet-x7k2m", `$(cortex run list | grep -o "^greet-[a-z0-9]*")`)
		command = strings.ReplaceAll(command, "TOKEN", `$(cortex approvals list | grep -o "^[a-z0-9]*")`)
		switch {
		case strings.HasPrefix(command, "cortex approvals list"):
			return until("cortex approvals list | grep -q pending") + command
		case strings.HasPrefix(command, "cortex run show"):
			return until(strings.TrimSpace(command)+" | grep -q '^look *<- newest'") + command
		}
		return command
	})
	assert.Equal(t, 16, n, "commands of the page")
}

// The errors of docs/workflows.md are those that its commands print.
func TestTheWorkflowsPageCanBeFollowed(t *testing.T) {
	page, err := os.ReadFile("../../docs/workflows.md")
	require.NoError(t, err)
	release, err := os.ReadFile("../../examples/workflows/release.lisp")
	require.NoError(t, err)
	pl := newPlace(t)
	pl.write("work/release.lisp", string(release))
	outside := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(page), "")
	assert.Equal(t, 3, typed(t, pl, outside, nil), "commands of the page")
}
