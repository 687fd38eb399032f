package runs

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/tools"
)

// longRun takes a run through n steps, with notes of this size, and returns the last reply.
func longRun(b *bench, n, size int) *tools.Reply {
	b.t.Helper()
	rep := b.start("acme.long", "")
	for i := range n - 1 {
		rep = b.notes(rep.ContinueToken, fmt.Sprintf("step %d ", i)+strings.Repeat("note ", size/5))
	}
	require.False(b.t, rep.IsComplete)
	return rep
}

// rounds is a workflow that repeats one step n times.
func rounds(n int) string {
	return `{"id":"acme.long","name":"n","description":"d","version":"1.0.0","steps":[{"id":"loop","title":"L","type":"loop",` +
		fmt.Sprintf(`"loop":{"type":"for","count":%d,"maxIterations":%d},`, n, n) +
		`"body":[{"id":"one","title":"One","prompt":"Do it."}]}]}`
}

// BenchmarkRehydrate reads where a run of 60 and of 1,000 steps stands: of one that is held in
// memory, and of one that is read from the record first.
func BenchmarkRehydrate(b *testing.B) {
	for _, n := range []int{60, 1000} {
		bench := newBench(b, Options{}, rounds(n))
		token := longRun(bench, n, 1000).ContinueToken
		b.Run(fmt.Sprintf("steps=%d/warm", n), func(b *testing.B) {
			for b.Loop() {
				bench.read(token)
			}
		})
		b.Run(fmt.Sprintf("steps=%d/cold", n), func(b *testing.B) {
			for b.Loop() {
				bench.open()
				bench.read(token)
			}
		})
	}
}

// BenchmarkResume finds a run among 10,000, each with notes of 60 words: as the first search after a
// start; when nothing happened since the last one; and with an advance of one run before each.
func BenchmarkResume(b *testing.B) {
	const many = 10_000
	bench, _, _ := bareBench(b, rounds(1000))
	var open *tools.Reply
	for i := range many {
		rep := bench.start("acme.long", "")
		var words []string
		for j := range 60 {
			words = append(words, fmt.Sprint("word", (i*31+j*j)%5000))
		}
		open = bench.notes(rep.ContinueToken, strings.Join(words, " "))
	}
	query := `{"query":"word31 word32","gitBranch":"main"}`
	search := func() {
		got, err := bench.call(agent, tools.Resume, query)
		require.Nil(b, err)
		require.Equal(b, many, got.(*tools.Candidates).Total)
	}
	before := heap()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			bench.open()
			search()
		}
		b.ReportMetric((float64(heap())-float64(before))/many, "B/run")
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			search()
		}
	})
	b.Run("after an advance", func(b *testing.B) {
		for b.Loop() {
			open = bench.notes(open.ContinueToken, "went on")
			search()
		}
	})
}

// BenchmarkBigWork hands in work at its limit: with a start, and with an advance.
func BenchmarkBigWork(b *testing.B) {
	bench := newBench(b, Options{}, rounds(1000))
	big := `,"context":{"notes":"` + strings.Repeat("some words ", (work.MaxBytes-4096)/11) + `"}`
	token := ""
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			token = bench.start("acme.long", big).ContinueToken
		}
	})
	b.Run("advance", func(b *testing.B) {
		for b.Loop() {
			token = bench.reply(tools.Continue, `{"continueToken":"`+token+`","output":{"notesMarkdown":"n"}`+big+`}`).
				ContinueToken
		}
	})
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
