package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// sample is one measurement of one operation.
type sample struct {
	ns     float64
	allocs float64 // per operation; negative if not counted
	cpu    float64 // of all processors, in nanoseconds per operation; 0 if not counted
}

// series measures once; it is called again for every repetition.
type series func() (sample, error)

// row is one line of the table.
type row struct {
	what   string
	ours   series
	theirs series // nil: there is no rival
	rival  string // who theirs is
	bytes  int    // of one operation, to show a rate as well; 0: none
	items  int    // decisions, rules, ... in one operation; 0: one
	unit   string // what items are
	cpu    bool   // show the processors' time too: the disk's share is not in it, nor what else the machine does
	limit  float64
	target string // what limit means; "" if it is ours / theirs
	byCPU  bool   // the ratio is that of processors' times
	// absolute says that limit is nanoseconds per item of ours.
	absolute bool
}

// result is the outcome of a row.
type result struct {
	what, ours, theirs, ratio, target string
}

// report collects results.
type report struct {
	reps  int
	each  time.Duration // how long one measurement takes, about
	short bool
	begun time.Time
	load  string
	notes []string
	out   []result
}

// take has measurements take so many times as long as they do otherwise, from here on.
func (r *report) take(times time.Duration) error {
	return flag.Set("test.benchtime", (times * r.each).String())
}

// bench is a series made of a Go benchmark.
func bench(f func(b *testing.B)) series {
	return func() (sample, error) {
		var used time.Duration
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime()
			f(b)
			used = cpuTime() - before
		})
		if r.N == 0 {
			return sample{}, errors.New("the benchmark failed")
		}
		return sample{ns: float64(r.T.Nanoseconds()) / float64(r.N), allocs: float64(r.MemAllocs) / float64(r.N),
			cpu: float64(used) / float64(r.N)}, nil
	}
}

// cpuTime is what this process has used of all processors; 0 where it is unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// each is a series made of a function that does the operation once.
func each(f func() error) series {
	return bench(func(b *testing.B) {
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// measure runs a row, ours and theirs in turn, and adds the result.
func (r *report) measure(w row) error {
	var ours, theirs []sample
	for i := range r.reps {
		// Who goes first changes: the second finds warmer caches.
		for k := range 2 {
			s, to := w.ours, &ours
			if (i+k)%2 == 1 {
				s, to = w.theirs, &theirs
			}
			if s == nil {
				continue
			}
			m, err := s()
			if err != nil {
				return fmt.Errorf("%s: %w", w.what, err)
			}
			*to = append(*to, m)
		}
	}
	r.add(w.result(ours, theirs))
	return nil
}

func (r *report) add(res result) {
	fmt.Printf("%-72s %-34s %-44s %-14s %s\n", res.what, res.ours, res.theirs, res.ratio, res.target)
	r.out = append(r.out, res)
}

// note is a line below the table.
func (r *report) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Println(text)
	r.notes = append(r.notes, text)
}

func (w row) result(ours, theirs []sample) result {
	res := result{what: w.what, ours: w.show(ours), theirs: "-", ratio: "-", target: w.target}
	held := 0.0
	if len(theirs) > 0 {
		res.theirs = w.rival + ": " + w.show(theirs)
		ratios := make([]float64, len(ours))
		for i := range ours {
			ratios[i] = ours[i].ns / theirs[i].ns
			if w.byCPU {
				ratios[i] = ours[i].cpu / theirs[i].cpu
			}
		}
		mid, spread := median(ratios)
		digits := 2
		if mid < 0.1 {
			digits = 4
		}
		res.ratio, held = fmt.Sprintf("%.*f ± %.0f %%", digits, mid, spread), mid
		if res.target == "" && w.limit > 0 {
			res.target = fmt.Sprintf("<= %.2g", w.limit)
		}
	}
	if w.absolute {
		held, _ = median(times(ours))
		held /= float64(max(w.items, 1))
	}
	if w.limit > 0 {
		res.target += verdict(held <= w.limit)
	}
	return res
}

func verdict(ok bool) string {
	if ok {
		return ": yes"
	}
	return ": **no**"
}

// show writes the median, its spread, the rate and the allocations.
func (w row) show(all []sample) string {
	mid, spread := median(times(all))
	items := float64(max(w.items, 1))
	s := fmt.Sprintf("%s ± %.0f %%", duration(mid/items), spread)
	if w.bytes > 0 {
		s += fmt.Sprintf(", %.0f MB/s", float64(w.bytes)/mid*1e3)
	}
	if w.items > 0 {
		s += fmt.Sprintf(", %.0f %s/s", items/mid*1e9, w.unit)
	}
	if w.cpu {
		cpu := make([]float64, len(all))
		for i := range all {
			cpu[i] = all[i].cpu
		}
		used, _ := median(cpu)
		s += fmt.Sprintf(", %s of CPU", duration(used/items))
	}
	allocs := make([]float64, len(all))
	for i := range all {
		allocs[i] = all[i].allocs
	}
	if n, _ := median(allocs); n >= 0 {
		s += fmt.Sprintf(", %.0f allocs", math.Floor(n/items))
	}
	return s
}

func times(all []sample) []float64 {
	out := make([]float64, len(all))
	for i := range all {
		out[i] = all[i].ns
	}
	return out
}

// median returns the middle, and how far, in percent of it, the farthest value
// is away.
func median(xs []float64) (mid, spread float64) {
	xs = slices.Sorted(slices.Values(xs))
	n := len(xs)
	if mid = xs[n/2]; n%2 == 0 {
		mid = (xs[n/2-1] + xs[n/2]) / 2
	}
	if mid == 0 {
		return 0, 0
	}
	return mid, 100 * max(xs[n-1]-mid, mid-xs[0]) / math.Abs(mid)
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// stopwatch starts one; the function it returns gives the time by call.
func stopwatch() func(calls int) sample {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun, used := time.Now(), cpuTime()
	return func(calls int) sample {
		took, used := time.Since(begun), cpuTime()-used
		runtime.ReadMemStats(&after)
		n := float64(calls)
		return sample{ns: float64(took.Nanoseconds()) / n, allocs: float64(after.Mallocs-before.Mallocs) / n,
			cpu: float64(used) / n}
	}
}
