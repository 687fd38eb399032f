package rules_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

var measure = flag.Bool("figures", false, "measure the functions and write docs/proof/rules.md")

// figuresPage is where the figures stand.
const figuresPage = "../../docs/proof/rules.md"

// judge makes a loop that asks a function about a text, in a new case each time.
func (s specimen) judge(t testing.TB, text string) func(b *testing.B) {
	t.Helper()
	form := strings.ReplaceAll(s.form, "X", "action.args.text")
	if strings.Contains(form, "C") {
		form = "(some (shell action.args.cmd) (let ((c it)) " + strings.ReplaceAll(form, "C", "c") + "))"
	}
	book := worldOf(t, `(defskill s :trigger (= action.tool "look") :gate ((ask a :when `+form+")))", 0)
	a, err := skills.NewAction("look", sexpr.Plist("text", sexpr.Str(text),
		"cmd", sexpr.Str("git push --force origin main")), "to see")
	require.NoError(t, err)
	tool, _ := book.Tool("look")
	facts := &skills.Facts{Now: 1_700_000_100, Session: session(10)}
	gate := book.Skills("look")[0].Gates[0]
	return func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gate.Judge(b.Context(), skills.NewCase(a, tool, facts)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// long is the text of a size that is dear to ask about.
func (s specimen) long(size int) string {
	word := s.worst
	if word == "" {
		word = "a"
	}
	return strings.Repeat(word, size/len(word))
}

// BenchmarkFunctions asks each function about what it meets on an ordinary day, and about
// 64 KiB of what is dear to it, in a session of ten calls.
func BenchmarkFunctions(b *testing.B) {
	for _, s := range specimens() {
		b.Run(s.name+"/usual", s.judge(b, s.usual))
		b.Run(s.name+"/64KiB", s.judge(b, s.long(64<<10)))
	}
}

// The page of figures has a row for each function. With -figures the rows are measured.
func TestDocs_FiguresHaveEveryFunction(t *testing.T) {
	page, err := os.ReadFile(figuresPage)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), "| function |")
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "\n\n")
	require.True(t, ok)
	if *measure {
		table := "| function | an ordinary value | 64 KiB of what is dear to it |\n|---|---|---|\n"
		for _, s := range specimens() {
			usual, long := testing.Benchmark(s.judge(t, s.usual)), testing.Benchmark(s.judge(t, s.long(64<<10)))
			table += fmt.Sprintf("| `%s` | %v, %d allocs | %v |\n", s.name, rounded(usual), usual.AllocsPerOp(), rounded(long))
		}
		require.NoError(t, os.WriteFile(figuresPage, []byte(before+table+"\n"+after), 0o600))
		return
	}
	for _, s := range specimens() {
		assert.Contains(t, rest, "\n| `"+s.name+"` | ")
	}
	assert.Equal(t, len(specimens()), strings.Count(rest[:len(rest)-len(after)], "\n| `"))
}

// rounded is the time of one operation, to three digits.
func rounded(r testing.BenchmarkResult) time.Duration {
	d := time.Duration(r.NsPerOp())
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}
