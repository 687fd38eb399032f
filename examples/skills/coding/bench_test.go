package coding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// One decision with the coding rulebook, from a ready action and without a trace.
func BenchmarkDecision(b *testing.B) {
	book := rulebook(b)
	for name, line := range map[string]string{
		"git-status": "git status",
		"go-test":    "go test ./... 2>&1 | tail -20",
		"pipeline":   "find . -name '*.go' -not -path './vendor/*' | sort | uniq -c | sort -rn | head -10",
	} {
		a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(line)), "")
		require.NoError(b, err)
		for with, places := range map[string]*reason.Places{"": nil, "/protected": engine} {
			r := reason.Request{Policy: book, Action: a, Facts: workspace, NoTrace: true, Places: places}
			d := reason.Decide(b.Context(), r)
			require.Equal(b, reason.Allow, d.Kind, d.Key)
			b.Run(name+with, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					reason.Decide(b.Context(), r)
				}
			})
		}
	}
}
