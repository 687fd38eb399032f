package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// docs/tutorial.md is typed in, in one shell, and must print what it shows.
func TestTheTutorialCanBeFollowed(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	assert.Equal(t, 18, typed(t, newPlace(t), string(page), nil), "commands of the page")
	assert.LessOrEqual(t, strings.Count(string(page), "\n## "), 10, "steps")
}

// typed types in the commands of a page, in one shell, and holds what they print against what the page
// shows. A line of three dots stands for any lines, and three dots in a line for any text. change may
// change a command as a reader would, who sees what stands on the screen. It returns the number of
// commands.
func typed(t *testing.T, pl place, page string, change func(command string) string) int {
	t.Helper()
	bash := oracle.Find(t, "bash")
	const end = "-- end of a command --"
	var script strings.Builder
	var want []string // what each command prints
	here := false     // in a here-document
	for line := range strings.Lines(page) {
		text, ok := strings.CutPrefix(line, "    ")
		switch command, isCommand := strings.CutPrefix(text, "$ "); {
		case !ok:
		case isCommand:
			want = append(want, "")
			if change != nil {
				command = change(command)
			}
			script.WriteString(command)
			here = strings.Contains(command, "<<'END'")
		case here:
			script.WriteString(text)
			here = text != "END\n"
		case len(want) == 0: // it belongs to none
			continue
		default:
			want[len(want)-1] += text
			continue
		}
		if ok && !here {
			script.WriteString("code=$?; echo '" + end + "'; (exit $code)\n")
		}
	}
	require.NoError(t, os.Symlink(executable(t), pl.path("cortex")))
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, bash, "-c", script.String())
	cmd.WaitDelay = time.Second // a daemon that was left running holds the output
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "PATH="+pl.dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput() // some commands find errors
	got := strings.Split(string(out), end+"\n")
	require.Len(t, got, len(want)+1, "%s", out)
	for i := range want {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want[i]), `\.\.\.`, `(?s:.*)`)
		assert.Regexp(t, "^"+pattern+"$", got[i])
	}
	return len(want)
}
