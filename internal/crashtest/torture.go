// Package crashtest has the shared parts of the crash and fault harnesses: the number
// of trials, the first seed, children that are killed, and the line that reports the
// result, which `make reliability` reads.
package crashtest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Size returns the number of trials, usual unless CORTEX_TORTURE is set, and the
// first seed, 1 unless CORTEX_SEED is set.
func Size(usual int) (trials int, seed uint64) {
	return Number("CORTEX_TORTURE", usual), uint64(Number("CORTEX_SEED", 1))
}

// Number returns the value of an environment variable, or usual: under go test
// -short a fifth of it, as in package rapid.
func Number(variable string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	if testing.Short() {
		return max(usual/5, min(usual, 1))
	}
	return usual
}

// Long skips a test under go test -short, which make test uses. make test-long runs
// all tests.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("LONG: make test-long runs it")
	}
}

// Result is the result of a campaign.
type Result struct {
	Harness      string
	Trials       int // independent ones
	Seed         uint64
	Failures     int
	Acknowledged int    // records that were acknowledged to a client
	Effects      int    // on the outside world
	More         string // for people
}

// String is the line. With no failure in n trials, fewer than 3/n fail, at 95 %
// confidence.
func (r Result) String() string {
	bound := "none"
	if r.Failures == 0 && r.Trials > 0 {
		bound = fmt.Sprintf("%.2g", 3/float64(r.Trials))
	}
	return strings.TrimRight(fmt.Sprintf("RESULT harness=%s trials=%d seed=%d failures=%d acknowledged=%d effects=%d "+
		"date=%s bound95=%s %s",
		r.Harness, r.Trials, r.Seed, r.Failures, r.Acknowledged, r.Effects, time.Now().UTC().Format(time.DateOnly), bound,
		r.More), " ")
}

// Control is a harness that was given a fault, to see that it finds it.
type Control struct {
	Harness, Fault string
	Seed           uint64
	// Symptom matches what the fault shows itself by, as a regular expression. One fault breaks
	// several promises, and which of them is seen first is chance.
	Symptom string
}

// Found reports that the harness found something wrong, and fails the test if none of it is the symptom.
func (c Control) Found(t testing.TB, wrong []string) {
	t.Helper()
	symptom := regexp.MustCompile(c.Symptom)
	at := slices.IndexFunc(wrong, symptom.MatchString)
	if at < 0 {
		t.Errorf("%s with %s: found, and not for what it is (%s): %q", c.Harness, c.Fault, symptom, wrong)
		return
	}
	t.Logf("RESULT control=%q found-by=%s seed=%d: %.200s", c.Fault, c.Harness, c.Seed, wrong[at])
}

// Report prints the line into the test's log.
func (r Result) Report(t testing.TB) {
	t.Helper()
	t.Log(r)
}
