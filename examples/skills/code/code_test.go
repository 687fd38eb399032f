// Package code_test holds the skills that judge code against the conformance suite,
// and against programs with known effects.
package code_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/plugins/plugintest"
)

const tools = "../../../.tools/"

var pythonFiles = []string{
	"../../../plugins/python/cortex_skill.py", "../../../plugins/python/skill_pb2.py",
	"code_policy.json", "code_policy.py", "code_values.py", "code_calls.py", "code_effects.py",
	"code_bandit.py", "code_machine.py", "code_calling.py", "code_words.py", "code_expressions.py", "code_reader.py",
}

// bundled is a file that make skills-node makes: without it the test is skipped.
func bundled(t testing.TB, name string) string {
	t.Helper()
	if _, err := os.Stat(tools + name); err != nil {
		t.Skip("SKIPPED: JavaScript's skill is not bundled, so it is not tried; run: make skills-node")
	}
	return tools + name
}

func TestPythonConforms(t *testing.T) {
	crashtest.Long(t)
	oracle.PythonGRPC(t)
	plugintest.Run(t, plugintest.Options{Program: "./python_code.py", Files: pythonFiles})
}

func TestJavaScriptConforms(t *testing.T) {
	crashtest.Long(t)
	plugintest.Run(t, plugintest.Options{Program: bundled(t, "skills/javascript-code")})
}

func TestPythonCorpus(t *testing.T) {
	corpus(t, "testdata/python.txt", oracle.PythonGRPC(t), "-I", "-B", "judged.py")
}

// Bandit's findings hold programs back beside our own, where the host has it.
func TestBandit(t *testing.T) {
	crashtest.Long(t)
	if err := exec.Command("/usr/bin/python3", "-I", "-c", "import bandit").Run(); err != nil {
		t.Skip("SKIPPED: /usr/bin/python3 has no bandit, so its findings are not tried; on Debian: apt-get install bandit")
	}
	corpus(t, "testdata/bandit.txt", oracle.PythonGRPC(t), "-I", "-B", "judged.py", "--bandit")
}

func TestJavaScriptCorpus(t *testing.T) {
	corpus(t, "testdata/javascript.txt", "/usr/bin/node", bundled(t, "node/judged.cjs"))
}

// sample is a program and what is to be said of it, after a user and a text have spoken.
type sample struct{ name, want, said, given, code string }

// samples are those of a corpus, and texts that no parser likes.
func samples(t *testing.T, file string) []sample {
	t.Helper()
	return append(written(t, file),
		sample{name: "a megabyte", want: "deny/too-long", code: strings.Repeat("x = 1\n", 180_000)},
		sample{name: "open brackets", want: "deny", code: strings.Repeat("(", 20_000)},
		sample{name: "nested brackets", want: "deny", code: strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)},
		sample{name: "a long sum", want: "allow", code: "x = " + strings.Repeat("1+", 400) + "1"},
		sample{name: "a chain of calls", want: "allow", code: "x" + strings.Repeat(".a()", 60)},
		sample{name: "a chain of additions", want: "allow", code: "x" + strings.Repeat(".push(1).y.append(1).y", 40)},
		sample{name: "a list of itself", want: "allow", code: "a = 1\n" + strings.Repeat("a = [a, a, [a]]\n", 60)},
		sample{name: "a product of many numbers", want: "allow", code: "x = 1" + strings.Repeat("*2", 380)},
		sample{name: "control characters", want: "deny/syntax", code: "\x01\x02\x7f"},
		sample{name: "nothing", want: "allow", code: ""})
}

// written reads a corpus.
func written(t testing.TB, file string) []sample {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var out []sample
	for line := range strings.Lines(string(text)) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(head, " --") {
			want, name, _ := strings.Cut(strings.TrimSuffix(head, " --"), " ")
			out = append(out, sample{name: name, want: want})
		} else if len(out) > 0 {
			out[len(out)-1].take(line)
		}
	}
	require.Greater(t, len(out), 2)
	return out
}

// take adds a line: of what the user or a text said, if it begins so, else of the program.
func (s *sample) take(line string) {
	if said, ok := strings.CutPrefix(line, "user: "); ok {
		s.said += said
	} else if given, ok := strings.CutPrefix(line, "text: "); ok {
		s.given += given
	} else {
		s.code += line
	}
}

// corpus has a program judge every sample, in one process.
func corpus(t *testing.T, file string, argv ...string) {
	all, dir := samples(t, file), t.TempDir()
	for i, s := range all {
		name := filepath.Join(dir, string(rune('a'+i/26))+string(rune('a'+i%26)))
		text, err := json.Marshal([]string{s.said, s.given, s.code})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, text, 0o600))
		argv = append(argv, name)
	}
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := bufio.NewScanner(bytes.NewReader(out))
	for _, s := range all {
		require.True(t, lines.Scan(), "an answer for %s", s.name)
		var got [2]string
		require.NoError(t, json.Unmarshal(lines.Bytes(), &got), "%s", lines.Text())
		want, key, _ := strings.Cut(s.want, "/")
		assert.Equal(t, want, got[0], "%s: %v", s.name, got)
		if key != "" {
			assert.Equal(t, key, got[1], s.name)
		}
	}
}
