package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

// How long a daemon takes from the start of its process until it is ready, and
// what it holds in memory then, on a record of so many entries, and without the guard.
func BenchmarkServeReady(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			pl := newPlace(b)
			fillRecord(b, pl.path("state"), n)
			benchmarkReady(b, pl)
		})
	}
	b.Run("no-guard", func(b *testing.B) { benchmarkReady(b, newPlace(b), "--no-guard") })
}

func benchmarkReady(b *testing.B, pl place, flags ...string) {
	d := pl.start(flags...) // the first run writes what every record has
	d.signal(syscall.SIGTERM)
	require.Zero(b, d.end())
	var memory int
	for b.Loop() {
		d := pl.start(flags...)
		b.StopTimer()
		memory = max(memory, resident(b, d.ready.PID))
		d.signal(syscall.SIGTERM)
		require.Zero(b, d.end())
		b.StartTimer()
	}
	b.ReportMetric(float64(memory)/1024, "MiB")
}

// fillRecord makes a record of n entries as large as a decision's.
func fillRecord(tb testing.TB, dir string, n int) {
	tb.Helper()
	st, err := store.Open(dir, store.Options{})
	require.NoError(tb, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(tb, err)
	text := strings.Repeat("what was decided, and why; ", 40)
	for done := 0; done < n; done += 1000 {
		require.NoError(tb, j.Update(tb.Context(), func(tx *journal.Tx) error {
			for i := range 1000 {
				if _, err := tx.Append("note", fmt.Sprintf("s%d", i%50), sexpr.Plist("text", sexpr.Str(text))); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	require.NoError(tb, j.Close())
}

// resident is a process's memory in KiB, as the kernel counts it.
func resident(tb testing.TB, pid int) (kib int) {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(tb, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	_, err = fmt.Sscan(rest, &kib)
	require.NoError(tb, err)
	return kib
}
