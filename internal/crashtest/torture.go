// Package crashtest is what the harnesses that try to break the record have in
// common: how long and from which seed on they run, and the line in which they say
// what came of it, which `make reliability` reads.
package crashtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Size returns how many trials are wanted, usual unless CORTEX_TORTURE says
// otherwise, and from which seed on: 1, or CORTEX_SEED.
func Size(usual int) (trials int, seed uint64) {
	return Number("CORTEX_TORTURE", usual), uint64(Number("CORTEX_SEED", 1))
}

// Number returns the number that an environment variable has, or what is usual: a
// fifth of it under go test -short, as in package rapid.
func Number(variable string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	if testing.Short() {
		return max(usual/5, min(usual, 1))
	}
	return usual
}

// Long ends a test under go test -short, which is what make test says. make
// test-long runs all.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("LONG: make test-long runs it")
	}
}

// Result is what came of a campaign.
type Result struct {
	Harness      string
	Trials       int // independent ones
	Seed         uint64
	Failures     int
	Acknowledged int    // records of which a client was told that they are kept
	Effects      int    // on the world outside
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

// Report prints the line into the test's log.
func (r Result) Report(t testing.TB) {
	t.Helper()
	t.Log(r)
}
