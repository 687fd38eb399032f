package shelljudge

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func number(t testing.TB, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// TestShellDifferential is the campaign: 3,000 readable lines, or as many as
// CORTEX_SHELL_LINES says.
func TestShellDifferential(t *testing.T) {
	report := campaign(t, Campaign{Lines: number(t, "CORTEX_SHELL_LINES", 3000), Seed: uint64(number(t, "CORTEX_SEED", 1)), Most: number(t, "CORTEX_SHELL_MOST", 20)})
	t.Logf("RESULT %s", report)
	for _, m := range report.Missing {
		t.Logf("not covered: %s", m)
	}
	assert.Empty(t, report.Findings)
}

func campaign(t testing.TB, c Campaign) Report {
	k, err := NewKit(t.TempDir(), "testdata/stub.c")
	require.NoError(t, err)
	var benches []*Bench
	for range number(t, "CORTEX_SHELL_WORKERS", 2) {
		b, err := k.NewBench()
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, b.Close()) })
		benches = append(benches, b)
	}
	corpus, err := Corpus()
	require.NoError(t, err)
	c.Failed = func(f Finding) { t.Logf("%s after %d lines: %s", f.Family, f.After, f) }
	report, err := c.Run(corpus, benches)
	require.NoError(t, err)
	return report
}
