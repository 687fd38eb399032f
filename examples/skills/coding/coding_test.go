package coding_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
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
var workspace = &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/workspace"), "home", sexpr.Str("/home/dev"),
	"path", sexpr.Str("/usr/bin:/bin"))}

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
				assert.NotEqual(t, reason.Allow, d.Kind, "%s: %s is allowed: %s, expected to be asked: %s", name, r.line, d.Key,
					r.why)
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

// Every pipeline of these that only reads is allowed: no other program is in it.
func TestPipelinesThatOnlyReadAreAllowed(t *testing.T) {
	text, err := os.ReadFile("testdata/everyday.txt")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "# Pipelines that only read\n")
	section, _, _ = strings.Cut(section, "\n# ")
	programs := []string{"find", "xargs", "grep", "sed", "awk", "sort", "uniq", "head", "wc", "jq", "cat", "tail"}
	book, lines := rulebook(t), 0
	for l := range strings.Lines(section) {
		f := strings.Split(l, "\t")
		if len(f) != 3 || slices.ContainsFunc(strings.Split(f[1], " | "), func(part string) bool {
			return !slices.Contains(programs, strings.Fields(part)[0])
		}) {
			continue
		}
		lines++
		for _, places := range []*reason.Places{nil, engine} {
			d := decide(t, book, f[1], places)
			assert.Equal(t, reason.Allow, d.Kind, "%s (%s)", f[1], d.Key)
		}
	}
	assert.GreaterOrEqual(t, lines, 20)
}

// docs/coding-agents.md says of some lines what becomes of them.
func TestThePageSaysWhatIsSo(t *testing.T) {
	page, err := os.ReadFile("../../../docs/coding-agents.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "| line | answer |\n|---|---|\n")
	table, _, ok := strings.Cut(table, "\n\n")
	require.True(t, ok)
	book := rulebook(t)
	for l := range strings.Lines(table) {
		line, want, ok := strings.Cut(strings.Trim(strings.TrimSpace(l), "| "), "` | ")
		require.True(t, ok, l)
		d := decide(t, book, strings.ReplaceAll(strings.TrimPrefix(line, "`"), `\|`, "|"), nil)
		assert.Equal(t, want, d.Kind.String(), "%s (%s)", line, d.Key)
	}
}

// Every clause is what some example of its own file, or some line of the lists, meets.
func TestEveryClauseDecidesSomething(t *testing.T) {
	book, met := rulebook(t), map[string]bool{}
	text, err := os.ReadFile("testdata/never.txt")
	require.NoError(t, err)
	var lines []string
	for _, r := range everyday(t) {
		lines = append(lines, r.line)
	}
	for _, l := range append(lines, strings.Split(string(text), "\n")...) {
		if l == "" || l[0] == '#' {
			continue
		}
		d := decide(t, book, l, nil)
		for _, r := range append(d.Reasons, d.Vouched...) {
			met[r.Key] = true
		}
	}
	sandbox, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str("ls"), "unsandboxed", sexpr.T()), "")
	require.NoError(t, err)
	for _, r := range reason.Decide(t.Context(), reason.Request{Policy: book, Action: sandbox, Facts: workspace}).Reasons {
		met[r.Key] = true
	}
	for _, s := range book.Skills("shell") {
		for _, g := range s.Gates {
			assert.True(t, met[g.Key()], "%s decides something", g.Key())
		}
	}
}

func TestEachFileLoadsByItself(t *testing.T) {
	names, err := fs.Glob(shipped.Coding(), "*.lisp")
	require.NoError(t, err)
	require.Len(t, names, 5)
	for _, name := range names {
		book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: shipped.Coding(), Files: []string{name}})
		require.NoError(t, err)
		assert.NotEqual(t, reason.Allow, decide(t, book, "ls > /tmp/x", nil).Kind,
			"%s alone keeps redirections in the workspace", name)
	}
}

// A link of the workspace is judged by where it leads.
func TestALinkLeadsOutOfTheWorkspace(t *testing.T) {
	book := rulebook(t)
	leads := func(to string) func(string, string) (string, error) {
		return func(_, path string) (string, error) {
			return strings.Replace(path, "/workspace/link", to, 1), nil
		}
	}
	for _, line := range []string{"cat link/a.txt",
		"cat link/*.txt", "grep -rn x link", "rm -rf link/a", "find link -name x | xargs wc -l", "cd link && ls"} {
		a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
		require.NoError(t, err)
		r := reason.Request{Policy: book, Action: a, Facts: workspace, Lookup: leads("/workspace/src")}
		assert.Equal(t, reason.Allow, reason.Decide(t.Context(), r).Kind, "%s within", line)
		r.Lookup = leads("/srv/other")
		assert.NotEqual(t, reason.Allow, reason.Decide(t.Context(), r).Kind, "%s out of it", line)
	}
}
