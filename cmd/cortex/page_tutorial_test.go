package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// docs/tutorial.md is typed in, in one shell, and must print what it shows. A line of
// three dots stands for any lines, and three dots in a line for any text.
func TestTheTutorialCanBeFollowed(t *testing.T) {
	bash := oracle.Find(t, "bash")
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	const end = "-- end of a command --"
	var script strings.Builder
	var want []string // what each command prints
	here := false     // in a here-document
	for line := range strings.Lines(string(page)) {
		text, ok := strings.CutPrefix(line, "    ")
		switch typed, command := strings.CutPrefix(text, "$ "); {
		case !ok:
		case command:
			want = append(want, "")
			script.WriteString(typed)
			here = strings.Contains(typed, "<<'END'")
		case here:
			script.WriteString(text)
			here = text != "END\n"
		default:
			want[len(want)-1] += text
			continue
		}
		if ok && !here {
			script.WriteString("code=$?; echo '" + end + "'; (exit $code)\n")
		}
	}
	pl := newPlace(t)
	require.NoError(t, os.Symlink(executable(t), pl.path("cortex")))
	cmd := exec.Command(bash, "-c", script.String())
	cmd.Dir = pl.path("work")
	cmd.Env = append(command(pl).Env, "PATH="+pl.dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput() // some commands find errors
	got := strings.Split(string(out), end+"\n")
	require.Len(t, got, len(want)+1, "%s", out)
	for i := range want {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want[i]), `\.\.\.`, `(?s:.*)`)
		assert.Regexp(t, "^"+pattern+"$", got[i])
	}
	assert.Len(t, want, 18, "commands of the page")
	assert.LessOrEqual(t, strings.Count(string(page), "\n## "), 10, "steps")
}
