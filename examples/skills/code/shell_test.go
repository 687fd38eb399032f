package code_test

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The rules for commands say of lines of each kind what the corpus says, and every clause of
// theirs is the first to hold some line.
func TestShellCorpus(t *testing.T) {
	book, err := reason.Loader(rules.Loader{Functions: secrets.Functions()}).Load(
		rules.Root{FS: shipped.Code()},
		rules.Root{FS: fstest.MapFS{"tool.lisp": {Data: []byte(`(deftool sh :params (:cmd string) :tier :allow)`)}}})
	require.NoError(t, err)
	env := sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/user"))
	said := map[string]bool{}
	in, err := os.Open("testdata/shell.txt")
	require.NoError(t, err)
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		verdict, line, _ := strings.Cut(lines.Text(), " ")
		key := ""
		switch verdict {
		case "ask", "deny":
			key, line, _ = strings.Cut(line, " ")
		case "allow":
		default:
			continue // a heading
		}
		d := reason.Decide(t.Context(), reason.Request{
			Policy: book, Facts: &skills.Facts{Env: env},
			Proposal: sexpr.Plist("tool", sexpr.Str("sh"), "args", sexpr.Plist("cmd", sexpr.Str(line))),
		})
		assert.Equal(t, verdict, d.Kind.String(), line)
		if key != "" {
			assert.Equal(t, key, d.Key, line)
		}
		said[strings.TrimSuffix(key, "/error")] = true
	}
	for _, clause := range clausesOf(t) {
		assert.Contains(t, said, clause, "no line of the corpus is held by it")
	}
}

var part = regexp.MustCompile(`\(defskill (\S+)|\((?:ask|deny) (\S+)\s+:when`)

// clausesOf are the keys of the rules for commands.
func clausesOf(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"shell.lisp", "shell-machine.lisp", "shell-net.lisp", "shell-words.lisp"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		skill := ""
		for _, m := range part.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\n", " "), -1) {
			if skill += m[1]; m[1] != "" {
				skill = m[1]
			} else {
				out = append(out, skill+"/"+m[2])
			}
		}
	}
	require.Greater(t, len(out), 30)
	return out
}
