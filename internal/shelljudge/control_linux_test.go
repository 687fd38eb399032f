package shelljudge

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

// causes tell by which of the six root causes a line, made small, was misread.
var causes = map[string]*regexp.Regexp{
	"C1": regexp.MustCompile("\\$\\{[^}]*'[^']*(\\$\\(|`)"),
	"C2": regexp.MustCompile(`[<>]\(`),
	"C3": regexp.MustCompile(`\blet\b`),
	"C4": regexp.MustCompile(`\(\(|\[\[`),
	"C5": regexp.MustCompile(`BASH_CMDS|PATH=`),
	"C6": regexp.MustCompile(`\$[A-Z]+\{`),
}

// TestControlOldReader expects that the reader it is built with is that of commit
// b0855d1, and that each of its six root causes is found within 20,000 readable
// lines, none of which is a line of the corpus for that cause. See controls.sh.
func TestControlOldReader(t *testing.T) {
	if os.Getenv("CORTEX_SHELL_CONTROLS") == "" {
		t.Skip("SKIPPED: this is for the reader of commit b0855d1; run: make shell-differential-controls")
	}
	found := map[string]int{}
	strict := []string{"a program that is not listed",
		"the rule on names", "the rule on paths", "a path that is not listed"}
	report := campaign(t, Campaign{
		Lines: 20000, Seed: uint64(crashtest.Number("CORTEX_SEED", 1)),
		Wanted: func(c Candidate, f Failure) bool {
			_, is := causes[c.Family]
			return is && found[c.Family] == 0 && slices.Contains(strict, f.Oracle)
		},
		Failed: func(f Finding) {
			if found[f.Family] == 0 && causes[f.Family].MatchString(f.Line) {
				found[f.Family] = f.After
				t.Logf("%s after %d lines: %s", f.Family, f.After, f)
			}
		},
		Until: func() bool { return len(found) == len(causes) },
	}, func(s Seed) bool { _, is := causes[s.Family]; return !is })
	t.Logf("RESULT %s; lines until a cause was found: %v", report, found)
	for family := range causes {
		assert.Positive(t, found[family], "%s was not found", family)
	}
}

// TestControlBrokenReadings takes something out of true readings: each comparison
// has to find what it is there for.
func TestControlBrokenReadings(t *testing.T) {
	b := bench(t)
	nothing := func(*Reading) {}
	drop := func(i int) func(*Reading) {
		return func(r *Reading) { r.Commands = append(r.Commands[:i:i], r.Commands[i+1:]...) }
	}
	allow := func(rule string) func(*Reading) { return func(r *Reading) { r.Allowed[rule] = true } }
	for _, tt := range []struct {
		line    string
		breaks  func(*Reading)
		want    string
		shells  int
		program string
	}{
		{"ls a; touch P", nothing, "", 0, "a true reading"},
		{"ls a; touch P", drop(1), "a program that is not listed", 5, "a command is missing"},
		{"ls a; touch P", func(r *Reading) {
			r.Commands[1]["operands"] = []any{"Q"}
		}, "a program that is not listed", 5, "another word"},
		{"ls a; touch P", func(r *Reading) {
			r.Commands[1]["operands"] = []any{"P", "P"}
		}, "a program that is not listed", 5, "a word too many"},
		{"touch P", allow(ruleNames), "the rule on names", 5, ""},
		{"touch P", allow(ruleWords), "the rule on operands", 5, ""},
		{"ls -Z", allow(ruleFlags), "the rule on flags", 5, ""},
		{"ls a b", allow(ruleLen(1)), "the rule on the number of operands", 5, ""},
		{"cat /etc/shadow", allow(rulePaths), "the rule on paths", 5, "opened by a program"},
		{"ls > /protected/x", allow(rulePaths), "the rule on paths", 5, "opened by the shell"},
		{"echo /etc/*", allow(rulePaths), "the rule on paths", 5, "listed by a glob"},
		{"ls > /protected/x", allow(ruleSelf), "self-protection", 5, ""},
		{"cat a.txt", func(r *Reading) { r.Paths = nil }, "a path that is not listed", 5, ""},
		{"ls > out", func(r *Reading) { r.Paths = []any{"/work/other"} }, "a path that is not listed", 5, ""},
		{"cd sub", func(r *Reading) { r.Commands = nil }, "a folder that is entered", 5, ""},
		{"ls > /dev/tcp/1.2.3.4/80", func(r *Reading) { r.Paths = nil }, "a connection", 1, "only bash knows that name"},
		{"kill -9 4000000", func(r *Reading) { r.Commands = nil }, "a signal", 5, ""},
	} {
		t.Run(tt.line+" "+tt.want+" "+tt.program, func(t *testing.T) {
			r, err := b.Reader.Read(tt.line)
			require.NoError(t, err)
			tt.breaks(r)
			got := 0
			for _, s := range b.boxes {
				run, err := s.Run(tt.line)
				require.NoError(t, err)
				for _, f := range JudgeAll(r, run) {
					if f.Oracle == tt.want {
						got++
						break
					}
					assert.NotEmpty(t, tt.want, "%s", f)
				}
			}
			assert.Equal(t, tt.shells, got)
		})
	}
}
