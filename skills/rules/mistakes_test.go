package rules

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

var update = flag.Bool("update", false, "write the golden files anew")

// mistake is one of testdata/mistakes.txt.
type mistake struct{ title, text, on, says string }

// mistakes reads the file; the first is no mistake, but the tools.
func mistakes(t *testing.T, file string) (head string, out []mistake) {
	t.Helper()
	head, rest, ok := strings.Cut(file, "=== ")
	require.True(t, ok)
	for _, part := range strings.Split("\n"+rest, "\n=== ") {
		var m mistake
		m.title, m.text, _ = strings.Cut(strings.TrimPrefix(part, "\n"), "\n")
		m.text, m.says, _ = strings.Cut(m.text, "--- says\n")
		m.text, m.on, _ = strings.Cut(m.text, "--- on ")
		m.text, m.on = strings.TrimSpace(m.text)+"\n", strings.TrimSpace(m.on)
		out = append(out, m)
	}
	return head, out
}

// answer is what an author is told of the mistake.
func (m mistake) answer(t *testing.T, tools string) string {
	b, err := Load(folder(t, "a.lisp", m.text, "tools.lisp", tools))
	if err != nil {
		return err.Error() + "\n"
	}
	var out strings.Builder
	for _, w := range b.Warnings() {
		fmt.Fprintf(&out, "warning: %v\n", w)
	}
	if m.on == "" {
		return out.String()
	}
	v, err := sexpr.Read("on", m.on)
	require.NoError(t, err, m.on)
	args, _ := v.Get("args")
	a, err := skills.NewAction(v.GetText("tool"), args, "")
	require.NoError(t, err)
	tool, _ := b.Tool(a.Tool())
	c := skills.NewCase(a, tool, &skills.Facts{})
	for _, s := range b.Skills(a.Tool()) {
		for _, g := range s.Gates {
			switch v, err := g.Judge(context.Background(), c); v := v.(type) {
			case skills.Deny:
				fmt.Fprintf(&out, "deny %s (%s): %s\n", v.Reason.Key, v.Reason.Pos, v.Reason.Text)
				if v.Reason.Advice != "" {
					fmt.Fprintf(&out, "for people: %s\n", v.Reason.Advice)
				}
			case skills.Pass:
				fmt.Fprintf(&out, "pass %s: %s\n", g.Key(), v.Note)
			case skills.Allow, skills.Ask, skills.Asks, skills.Rewrite:
				fmt.Fprintf(&out, "%s: %T\n", g.Key(), v)
			default:
				require.NoError(t, err)
			}
		}
	}
	return out.String()
}

// TestMistakes goes through a hundred mistakes, and what their authors are told.
func TestMistakes(t *testing.T) {
	const golden = "testdata/mistakes.txt"
	file, err := os.ReadFile(golden)
	require.NoError(t, err)
	head, all := mistakes(t, string(file))
	var out strings.Builder
	fmt.Fprintf(&out, "%s=== %s\n%s", head, all[0].title, all[0].text)
	seen := map[string]string{}
	for _, m := range all[1:] {
		says := m.answer(t, all[0].text)
		assert.NotEmpty(t, says, "%s: nothing is said", m.title)
		assert.Empty(t, seen[m.text], "%s: the same mistake", m.title)
		seen[m.text] = m.title
		for _, word := range []string{"token",
			"Operator(", "Identifier(", "EOF", "strconv", "compilation", "predicate", "%!"} {
			assert.NotContains(t, says, word, "%s: a word of the parser's", m.title)
		}
		if !*update {
			assert.Equal(t, m.says, says, m.title)
		}
		on := ""
		if m.on != "" {
			on = "--- on " + m.on + "\n"
		}
		fmt.Fprintf(&out, "\n=== %s\n%s%s--- says\n%s", m.title, m.text, on, says)
	}
	assert.GreaterOrEqual(t, len(all)-1, 100, "mistakes")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
}
