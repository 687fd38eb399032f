//go:build unix

package code_test

import (
	"slices"
	"testing"
	"time"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// BenchmarkSkills decides about the programs of the tests, each skill in a host: what docs/scoreboard.md
// says of their speed.
func BenchmarkSkills(b *testing.B) {
	b.Run("python", func(b *testing.B) {
		oracle.PythonGRPC(b)
		measure(b, inHost(b, "python", "python_code.py", pythonFiles...), "testdata/python.txt")
	})
	b.Run("javascript", func(b *testing.B) {
		measure(b, inHost(b, "javascript", bundled(b, "skills/javascript-code")), "testdata/javascript.txt")
	})
}

func measure(b *testing.B, h *hosted, file string) {
	all := written(b, file)
	var took []time.Duration
	for b.Loop() {
		s := all[len(took)%len(all)]
		begun := time.Now()
		h.decide(s.said, s.code)
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
}
