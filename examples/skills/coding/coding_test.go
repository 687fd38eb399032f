package coding_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulebook loads the folder as --rules does, by itself.
func rulebook(t testing.TB) *rules.Rulebook {
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: os.DirFS(".")})
	require.NoError(t, err, "every file loads, and its examples hold")
	return book
}

// workspace is where the lines of the tests run.
var workspace = &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/dev"), "path", sexpr.Str("/usr/bin:/bin"))}

// decide asks what becomes of a command line. With places, the engine protects a
// folder of its own, as it does wherever it runs.
func decide(t testing.TB, book *rules.Rulebook, line string, places *reason.Places) *reason.Decision {
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
	require.NoError(t, err)
	return reason.Decide(t.Context(), reason.Request{Policy: book, Action: a, Facts: workspace, Places: places})
}

var engine = &reason.Places{Paths: []string{"/home/dev/.local/share/cortex", "/home/dev/.config/cortex"}}

// row is one line of testdata/everyday.txt.
type row struct{ want, line, why string }

func everyday(t testing.TB) []row {
	text, err := os.ReadFile("testdata/everyday.txt")
	require.NoError(t, err)
	var out []row
	for l := range strings.Lines(string(text)) {
		if l = strings.TrimSuffix(l, "\n"); l == "" || l[0] == '#' {
			continue
		}
		f := strings.Split(l, "\t")
		require.Len(t, f, 3, l)
		out = append(out, row{f[0], strings.ReplaceAll(f[1], "⏎", "\n"), f[2]})
	}
	return out
}

// Nothing that a person should be asked about goes through, what destroys beyond
// the workspace is refused, and ordinary work is not held up.
func TestEverydayCommands(t *testing.T) {
	book, rows := rulebook(t), everyday(t)
	require.GreaterOrEqual(t, len(rows), 300)
	for name, places := range map[string]*reason.Places{"rules alone": nil, "with a folder to protect": engine} {
		allowed, should := 0, 0
		var missed strings.Builder
		for _, r := range rows {
			d := decide(t, book, r.line, places)
			switch {
			case r.want == "allow":
				if should++; d.Kind == reason.Allow {
					allowed++
				} else {
					fmt.Fprintf(&missed, "\n%s %s: %s", d.Kind, d.Key, r.line)
				}
			case r.want == "deny":
				assert.Equal(t, reason.Deny, d.Kind, "%s: %s (%s)", name, r.line, d.Key)
			default:
				assert.NotEqual(t, reason.Allow, d.Kind, "%s: %s is allowed: %s, expected to be asked: %s", name, r.line, d.Key, r.why)
			}
		}
		t.Logf("%s: of %d lines %d should be allowed, and %d are (%.1f %%); others:%s", name, len(rows), should, allowed,
			100*float64(allowed)/float64(should), missed.String())
		assert.GreaterOrEqual(t, allowed*10, should*9, "%s: at least 90 %%", name)
	}
}

// For every program that the rulebook allows: the options and words with which it
// writes elsewhere, runs a program or reaches the network.
func TestNoSpellingGetsThrough(t *testing.T) {
	book := rulebook(t)
	text, err := os.ReadFile("testdata/never.txt")
	require.NoError(t, err)
	lines := 0
	for l := range strings.Lines(string(text)) {
		if l = strings.TrimSuffix(l, "\n"); l == "" || l[0] == '#' {
			continue
		}
		lines++
		d := decide(t, book, strings.ReplaceAll(l, "⏎", "\n"), nil)
		assert.NotEqual(t, reason.Allow, d.Kind, "%s (%s)", l, d.Key)
	}
	assert.Greater(t, lines, 150)
}
