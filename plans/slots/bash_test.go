package slots_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/sexpr"
)

// commands are command lines with the words of the programs that they run.
var commands = []struct {
	line string
	runs [][]string
}{
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
}

// machine runs command lines in bash. Its PATH has stubs alone, and each says with what it was run.
type machine struct{ bash, bin, dir, log string }

func newMachine(t testing.TB) *machine {
	m := &machine{bash: oracle.Find(t, "bash"), bin: t.TempDir(), dir: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
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
func (m *machine) run(t testing.TB, line string) (ran [][]string, wrong string) {
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

// broken says how what bash runs differs from the words of a command with these values; "" if it
// does not. Parts of a pipeline run at the same time, in any order.
func (m *machine) broken(t testing.TB, line string, runs [][]string, x, y string) string {
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

func fill(line, x, y string) (string, bool) {
	work := sexpr.Plist("x", sexpr.Str(x), "y", sexpr.Str(y))
	args, reasons := slots.Fill(step, sexpr.Plist("cmd", sexpr.Str(line)), work)
	return args.GetText("cmd"), len(reasons) == 0
}

// Real bash runs the words that the plan wrote, with the values in their places, or Fill refuses.
func TestI1_HostileValuesStayWordsOfTheirCommand(t *testing.T) {
	m := newMachine(t)
	n := 10_000
	if testing.Short() {
		n = 4 * len(hostile)
	}
	filled := make([]int, len(commands))
	values := mixtures(n)
	for i, x := range values {
		c := i % len(commands)
		y := values[(i*7919+13)%n]
		if i%3 == 0 || c == 7 { // else few values would pass where two have to
			y = "plain"
		}
		line, ok := fill(commands[c].line, x, y)
		if !ok {
			continue
		}
		filled[c]++
		require.Empty(t, m.broken(t, line, commands[c].runs, x, y), "%.300q", line)
	}
	for c, count := range filled {
		assert.Positive(t, count, commands[c].line)
	}
	t.Logf("%d values, filled in and run by command: %v", n, filled)
}

// Each text that may stand in a word does: what is refused has a NUL or begins with a dash, or
// makes the line too long.
func TestAnyTextIsAWord(t *testing.T) {
	for _, x := range mixtures(10_000) {
		line, ok := fill("stub {{x}}", x, "")
		may := !strings.ContainsRune(x, 0) && !strings.HasPrefix(x, "-") &&
			len("stub ''")+len(x)+3*strings.Count(x, "'") < 128<<10
		assert.Equal(t, may, ok, "%.100q gives %.100q", x, line)
	}
}

// The test above catches a version that only puts the texts together.
func TestPuttingTextsTogetherIsCaught(t *testing.T) {
	m := newMachine(t)
	for _, x := range []string{"; other", "$(other)", "`other`", "a b", "*", "'", ">made", "\nother", "& other", "{a,b}",
		"$HOME", "# x"} {
		for _, c := range commands[:2] {
			line := plans.FillSlots(c.line, func(s plans.Slot) string { return map[string]string{"x": x, "y": "plain"}[s.Path] })
			assert.NotEmpty(t, m.broken(t, line, c.runs, x, "plain"), "%q", line)
		}
	}
	line := "stub '" + "it's" + "'" // and one that only quotes
	assert.NotEmpty(t, m.broken(t, line, commands[0].runs, "it's", ""), line)
}

func FuzzFill(f *testing.F) {
	m := newMachine(f)
	for i, x := range hostile {
		f.Add(uint8(i), x, hostile[(i*31)%len(hostile)])
		f.Add(uint8(i), x, "plain")
	}
	f.Fuzz(func(t *testing.T, which uint8, x, y string) {
		c := commands[int(which)%len(commands)]
		if line, ok := fill(c.line, x, y); ok {
			assert.Empty(t, m.broken(t, line, c.runs, x, y), "%q", line)
			again, _ := fill(c.line, x, y)
			assert.Equal(t, line, again)
		}
	})
}
