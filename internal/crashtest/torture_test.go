package crashtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSize(t *testing.T) {
	t.Setenv("CORTEX_TORTURE", "")
	t.Setenv("CORTEX_SEED", "")
	trials, seed := Size(7)
	assert.Equal(t, map[bool]int{false: 7, true: 1}[testing.Short()], trials)
	assert.Equal(t, uint64(1), seed)
	t.Setenv("CORTEX_TORTURE", "30")
	t.Setenv("CORTEX_SEED", "9")
	trials, seed = Size(7)
	assert.Equal(t, 30, trials)
	assert.Equal(t, uint64(9), seed)
}

// What harnesses say comes out as a row of the page, with batches added up, and a
// harness that failed has no bound. A control is not a row.
func TestReliabilityReadsResults(t *testing.T) {
	dir := t.TempDir()
	results, page := filepath.Join(dir, "results"), filepath.Join(dir, "page.md")
	text := Result{Harness: "a", Trials: 100, Seed: 1, Acknowledged: 5, Effects: 2}.String() + "\n" +
		"    x_test.go:12: " + Result{Harness: "a", Trials: 200, Seed: 6, Acknowledged: 1,
		More: `fault="EIO for ever" map[x:1 y=z:2]`}.String() + "\n" +
		"RESULT control=\"b\" found-by=a seed=3: lost\n" +
		Result{Harness: "c", Trials: 10, Seed: 1, Failures: 1}.String() + "\n"
	for seed := range uint64(9) {
		text += Result{Harness: "d", Trials: 1, Seed: 1 + seed}.String() + "\n" +
			Result{Harness: "d", Trials: 1, Seed: 1 + seed}.String() + "\n"
	}
	require.NoError(t, os.WriteFile(results, []byte(text), 0o600))
	require.NoError(t,
		os.WriteFile(page, []byte("before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n"), 0o600))
	out, err := exec.Command("sh", filepath.Join("..", "..", "contrib", "reliability.sh"), results, page).CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(got), "| a | 300 | 1, 6 | 6 | 2 | 0 | 1 % |")
	assert.Contains(t, string(got), "| c | 10 | 1 | 0 | 0 | 1 | none |")
	assert.Contains(t, string(got), "| d | 18 | 1, 2, 3, 4, ..., 9 |", "a seed is told once, and of many the first ones")
	assert.NotContains(t, string(got), "| b |")
	assert.NotContains(t, string(got), "old")
	assert.Contains(t, string(got), "before\n")
	assert.Contains(t, string(got), "after\n")
}

// A fault that shows itself second is found for what it is; one that does not show itself is not.
func TestControl(t *testing.T) {
	c := Control{Harness: "torture", Fault: "early", Seed: 3, Symptom: "lost|under one key"}
	for _, x := range []struct {
		wrong []string
		ok    bool
	}{
		{[]string{"other bytes", "done 2 times under one key: x"}, true},
		{[]string{"other bytes"}, false},
		{nil, false},
	} {
		tb := &deaf{TB: t}
		c.Found(tb, x.wrong)
		assert.Equal(t, x.ok, !tb.failed, "%q", x.wrong)
		assert.Equal(t, x.ok, tb.said == `RESULT control="early" found-by=torture seed=3: done 2 times under one key: x`)
	}
}

// deaf takes what a test says, and fails in its place.
type deaf struct {
	testing.TB
	failed bool
	said   string
}

func (d *deaf) Helper()                         {}
func (d *deaf) Errorf(string, ...any)           { d.failed = true }
func (d *deaf) Logf(format string, args ...any) { d.said = fmt.Sprintf(format, args...) }
