package shelljudge

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
)

// enough are the lines after which everything that the grammar makes has to be
// covered.
const enough = 100_000

// TestShellDifferential is the campaign: 3,000 readable lines, or as many as
// CORTEX_SHELL_LINES says.
func TestShellDifferential(t *testing.T) {
	crashtest.Long(t)
	report := campaign(t, Campaign{
		Lines: crashtest.Number("CORTEX_SHELL_LINES", 3000), Seed: uint64(crashtest.Number("CORTEX_SEED", 1)),
		Most: crashtest.Number("CORTEX_SHELL_MOST", 20), Progress: os.Stderr,
		Failed: func(f Finding) { t.Logf("%s after %d lines: %s", f.Family, f.After, f) },
	}, nil)
	t.Logf("RESULT %s", report)
	assert.Empty(t, report.Findings)
	if report.Lines < enough {
		return
	}
	assert.Empty(t, report.Missing, "what no readable line covered")
}

// kit needs the shells; without them the test is over.
func kit(t testing.TB) *Kit {
	t.Helper()
	for _, program := range []string{"bash", "dash", "busybox", "mksh", "zsh", "cc"} {
		oracle.Find(t, program)
	}
	k, err := NewKit(t.TempDir(), "testdata/stub.c")
	require.NoError(t, err)
	s, err := k.Start(Shells[0], 0)
	if err != nil && os.Getenv(oracle.Required) == "" {
		t.Skipf("SKIPPED: no sandbox can be made here, so no shell has judged this: %v", err)
	}
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return k
}

func bench(t testing.TB) *Bench {
	t.Helper()
	b, err := kit(t).NewBench(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

// campaign runs c with the lines of the corpus that keep takes; nil takes all.
func campaign(t testing.TB, c Campaign, keep func(Seed) bool) Report {
	t.Helper()
	k := kit(t)
	var benches []*Bench
	for cpu := range crashtest.Number("CORTEX_SHELL_WORKERS", 2*runtime.NumCPU()) {
		b, err := k.NewBench(cpu)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, b.Close()) })
		benches = append(benches, b)
	}
	corpus, err := Corpus()
	require.NoError(t, err)
	if keep != nil {
		corpus = slices.DeleteFunc(corpus, func(s Seed) bool { return !keep(s) })
	}
	report, err := c.Run(corpus, benches)
	require.NoError(t, err)
	return report
}
