package mine_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/mine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// records calls add with the records of so many traces of ten calls, one session for each
// twenty, and outputs of some 600 bytes.
func records(t testing.TB, traces int, add func(journal.Record) error) {
	seq, at := uint64(0), time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC).UnixNano()
	put := func(session string, kind string, body sexpr.Value) uint64 {
		seq++
		at += 5e6
		require.NoError(t, add(journal.Record{Seq: seq, Kind: kind, Session: session, At: at, Body: body}))
		return seq
	}
	words := "the quick brown fox jumps over the lazy dog while it was raining cats and dogs in the old town of "
	for i := range traces {
		session := fmt.Sprint("s", i/20)
		text := fmt.Sprintf("please ship build-%d to host-%d", i, i%97)
		root := put(session, record.KindSignal, perceive.Signal{Type: "event", Sensor: perceive.UserInput, Session: session,
			Principal: "ann", Text: text}.Value())
		for k := range 10 {
			put(session, record.KindThink, record.Think{Root: root, Provider: "p", TokensIn: 900, TokensOut: 40}.Value())
			cmd := fmt.Sprintf("tool%d run -b build-%d -h host-%d", k, i, i%97)
			if k == i%10 {
				cmd = fmt.Sprintf("odd%d run -b build-%d", i%13, i)
			}
			a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(cmd)), "")
			require.NoError(t, err)
			d := reason.Decision{Kind: reason.Allow, Key: "tier/shell", Proposed: a, Action: a, Rounds: 1}
			decision := put(session, record.KindDecision, sexpr.Plist("root", sexpr.Int64(int64(root)), "decision", d.Value()))
			intent := put(session, record.KindIntent, record.Intent{Decision: decision, Tool: "shell", Args: a.Args(),
				Root: root}.Value())
			out := fmt.Sprint(words, i, k, words, i*k, words, words, words, words)
			put(session, record.KindReceipt, record.Receipt{Receipt: act.Receipt{State: act.Done, Text: out}, Intent: intent,
				Decision: decision}.Value())
		}
		put(session, record.KindAnswer, record.Answer{Signal: root, Text: "shipped"}.Value())
	}
}

// BenchmarkMine mines a record of 100,000 calls: ns/op, and the memory that is held at the end.
func BenchmarkMine(b *testing.B) {
	for b.Loop() {
		m := mine.New(mine.Options{})
		records(b, 10_000, m.Add)
		b.ReportMetric(0, "ns/op")
		began := time.Now()
		got := m.Mine()
		b.ReportMetric(time.Since(began).Seconds(), "s/mine")
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(mem.HeapAlloc)/(1<<20), "MB")
		b.ReportMetric(float64(got.Calls), "calls")
		b.ReportMetric(float64(len(got.Candidates)), "candidates")
		runtime.KeepAlive(m)
	}
}

// TestR26_AHundredThousandCalls mines them, and finds what was put there.
func TestR26_AHundredThousandCalls(t *testing.T) {
	crashtest.Long(t)
	m := mine.New(mine.Options{})
	records(t, 10_000, m.Add)
	got := m.Mine()
	assert.Equal(t, 100_000, got.Calls)
	assert.NotEmpty(t, got.Candidates)
}
