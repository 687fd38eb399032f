package hostile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// Command is a command line with the slots {{x}} and {{y}}, and the words of the programs that it runs.
type Command struct {
	Line string
	Runs [][]string
}

// Commands returns command lines with slots in many places.
func Commands() []Command {
	return []Command{
		{"stub {{x}}", [][]string{{"stub", "{{x}}"}}},
		{"stub tag -m {{x}} {{y}} last", [][]string{{"stub", "tag", "-m", "{{x}}", "{{y}}", "last"}}},
		{"stub --file={{x}} a/{{x}}.sql {{y}}", [][]string{{"stub", "--file={{x}}", "a/{{x}}.sql", "{{y}}"}}},
		{"stub {{x}}; stub {{y}} # end", [][]string{{"stub", "{{x}}"}, {"stub", "{{y}}"}}},
		{"stub {{x}} && stub b | stub 'c d' {{y}}", [][]string{{"stub", "{{x}}"}, {"stub", "b"}, {"stub", "c d", "{{y}}"}}},
		{"(cd . && V={{y}} stub {{x}}) || stub never", [][]string{{"stub", "{{x}}"}}},
		{"if stub {{x}}; then stub \"it's\" {{y}}; fi", [][]string{{"stub", "{{x}}"}, {"stub", "it's", "{{y}}"}}},
		{"for v in {{x}} {{y}}; do stub $v; done", [][]string{{"stub", "{{x}}"}, {"stub", "{{y}}"}}},
		{"stub {{x}}>/dev/null", [][]string{{"stub", "{{x}}"}}},
		{"stub {{x}}{{y}} {{x}}-{{y}}\nstub {{x}}", [][]string{{"stub", "{{x}}{{y}}", "{{x}}-{{y}}"}, {"stub", "{{x}}"}}},
		{"[ {{x}} = {{y}} ]; stub {{x}}", [][]string{{"stub", "{{x}}"}}},
		{"stub config set -n {{x}} {{y}}; stub $1", [][]string{{"stub", "config", "set", "-n", "{{x}}", "{{y}}"}, {"stub"}}},
	}
}

// Machine runs command lines in bash. Its PATH has stubs alone, and each says with what it was run.
type Machine struct{ bash, bin, dir, log string }

// NewMachine returns a machine, and skips the test where there is no bash.
func NewMachine(t testing.TB) *Machine {
	m := &Machine{bash: oracle.Find(t, "bash"), bin: t.TempDir(), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	const stub = "#!/bin/sh\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >>\"$STUB_LOG\"\n"
	for _, name := range []string{"stub", "other", "git", "ls", "rm", "touch", "id", "sh"} {
		require.NoError(t, os.WriteFile(filepath.Join(m.bin, name), []byte(stub), 0o755))
	}
	for _, name := range []string{"a", "b", "a b"} { // for patterns to match
		require.NoError(t, os.WriteFile(filepath.Join(m.dir, name), []byte("text of "+name), 0o600))
	}
	return m
}

// run returns the words of the programs that a line ran, in order, and what is wrong beside them.
func (m *Machine) run(t testing.TB, line string) (ran [][]string, wrong string) {
	t.Helper()
	require.NoError(t, os.WriteFile(m.log, nil, 0o600))
	cmd := exec.CommandContext(t.Context(), m.bash, "--noprofile", "--norc", "-c", "--", line)
	cmd.Dir, cmd.Env = m.dir, []string{"PATH=" + m.bin, "STUB_LOG=" + m.log, "LANG=C.UTF-8", "HOME=" + m.dir}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		wrong = err.Error()
	}
	text, err := os.ReadFile(m.log)
	require.NoError(t, err)
	words := strings.Split(string(text), "\x00")
	for len(words) > 1 {
		var n int
		_, err := fmt.Sscan(words[0], &n)
		require.NoError(t, err)
		ran = append(ran, words[1:n+2])
		words = words[n+2:]
	}
	files, err := os.ReadDir(m.dir)
	require.NoError(t, err)
	if len(files) != 3 {
		wrong += " it made files"
		for _, f := range files {
			if !slices.Contains([]string{"a", "b", "a b"}, f.Name()) {
				require.NoError(t, os.RemoveAll(filepath.Join(m.dir, f.Name())))
			}
		}
	}
	return ran, wrong + stderr.String()
}

// Broken says how what bash runs differs from the words of a command with these values; "" if it
// does not. Parts of a pipeline run at the same time, in any order.
func (m *Machine) Broken(t testing.TB, line string, runs [][]string, x, y string) string {
	t.Helper()
	ran, wrong := m.run(t, line)
	var want []string
	for _, words := range runs {
		filled := make([]string, len(words))
		for i, w := range words {
			filled[i] = strings.NewReplacer("{{x}}", x, "{{y}}", y).Replace(w)
		}
		want = append(want, strings.Join(filled, "\x00"))
	}
	var got []string
	for _, words := range ran {
		got = append(got, strings.Join(words, "\x00"))
	}
	slices.Sort(want)
	slices.Sort(got)
	switch {
	case !slices.Equal(want, got):
		return fmt.Sprintf("it ran %.300q, expected %.300q", got, want)
	case wrong != "":
		return wrong
	}
	return ""
}
