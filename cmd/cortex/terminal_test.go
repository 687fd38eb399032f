package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

const oneTool = `(deftool look :params (:at string) :required (:at) :tier :allow :effect :none)`

// There is colour on a terminal, and on nothing else; NO_COLOR turns it off. The
// words are the same.
func TestColourOnlyOnATerminal(t *testing.T) {
	tmux := oracle.Find(t, "tmux")
	dir := t.TempDir()
	cortex := filepath.Join(dir, "cortex")
	require.NoError(t, os.Symlink(executable(t), cortex)) // under this name a test binary is the program
	rules := filepath.Join(dir, "r.lisp")
	require.NoError(t, os.WriteFile(rules, []byte(oneTool), 0o600))

	show := func(line string) string {
		t.Helper()
		socket := filepath.Join(t.TempDir(), "s")
		do := func(args ...string) string {
			out, err := exec.Command(tmux, append([]string{"-S", socket, "-f", os.DevNull}, args...)...).CombinedOutput()
			require.NoError(t, err, "tmux %v: %s", args, out)
			return string(out)
		}
		defer do("kill-server")
		// The pane says when the program is over, and stays until the server ends.
		do("new-session", "-d", "-x", "120", "-y", "20",
			fmt.Sprintf("%s; '%s' -S '%s' wait-for -S over; cat", line, tmux, socket))
		do("wait-for", "over")
		return do("capture-pane", "-p", "-e")
	}
	const marked = "\x1b[32mok"
	assert.Contains(t, show("'"+cortex+"' rules check '"+rules+"'"), marked)
	plain := show("NO_COLOR=1 '" + cortex + "' rules check '" + rules + "'")
	assert.Contains(t, plain, "ok: 0 skills")
	assert.NotContains(t, plain, "\x1b[32m")
	plain = show("'" + cortex + "' rules check '" + rules + "' | cat")
	assert.Contains(t, plain, "ok: 0 skills")
	assert.NotContains(t, plain, "\x1b[32m")
}
