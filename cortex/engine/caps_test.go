package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

func TestCapsOfSignals(t *testing.T) {
	for name, c := range map[string]struct {
		caps admission.Caps
		of   string
		free Signal // not of the same session or principal
	}{
		"in all":        {admission.Caps{Signals: 2}, "", Signal{}},
		"per session":   {admission.Caps{SessionSignals: 2}, "session", Signal{Text: "x", Session: "s2", Principal: "p"}},
		"per principal": {admission.Caps{PrincipalSignals: 2}, "principal", Signal{Text: "x", Session: "s", Principal: "q"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testRules, `(:repeat t :reply "hi")`, func(o *Options) { o.Caps = c.caps })
			sig := Signal{Text: "hi", Session: "s", Principal: "p"}
			var in []*session.Accepted
			for i := range 2 {
				sig.Key = []string{"", "k"}[i]
				a, err := b.Accept(t.Context(), sig)
				require.NoError(t, err)
				in = append(in, a)
			}
			sig.Key = ""
			before := b.Journal().Last()
			_, err := b.Accept(t.Context(), sig)
			var busy *admission.BusyError
			require.ErrorAs(t, err, &busy)
			assert.Equal(t, admission.BusyError{What: "signals", Of: c.of, Cap: 2}, *busy)
			assert.Equal(t, before, b.Journal().Last(), "nothing of it is on record")
			if c.free.Text != "" {
				_, err := b.Submit(t.Context(), c.free)
				require.NoError(t, err)
			}
			_, err = b.Submit(t.Context(), Signal{Text: "/approve x", Session: "s", Principal: "p"})
			require.NoError(t, err, "people's answers are always taken")
			for _, a := range in {
				out, err := a.Answer(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "hi", out.Text, "what was accepted is answered")
			}
			_, err = b.Submit(t.Context(), sig)
			require.NoError(t, err)
			b.intact()
		})
	}
}

func TestCapsOfApprovals(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Caps = admission.Caps{Approvals: 3, SessionApprovals: 2} })
	ask := func(what, in string) *Decision {
		d, err := b.Decide(t.Context(), action(t, "risky", fmt.Sprintf(`(:what %q)`, what)), asking(in, "agent"))
		require.NoError(t, err)
		return d
	}
	first := ask("a", "s1")
	require.Equal(t, reason.Ask, first.Kind)
	require.Equal(t, reason.Ask, ask("b", "s1").Kind)
	over := ask("c", "s1")
	assert.Equal(t, reason.Deny, over.Kind)
	assert.Equal(t, ledger.KeyBusy, over.Key)
	assert.True(t, over.Retry)
	assert.Equal(t, first.Approval, ask("a", "s1").Approval, "what is asked already can be asked again")
	assert.Equal(t, reason.Ask, ask("c", "s2").Kind)
	assert.Equal(t, ledger.KeyBusy, ask("d", "s3").Key, "in all")
	require.NoError(t, b.Deny(t.Context(), first.Approval, ana, "no"))
	assert.Equal(t, reason.Ask, ask("d", "s3").Kind)
	b.intact()
}

func TestCapsOfDoubts(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Caps = admission.Caps{Doubts: 3, SessionDoubts: 2} })
	begin := func(text, in string) (*Permit, error) {
		d, err := b.Decide(t.Context(), action(t, "note", fmt.Sprintf(`(:text %q)`, text)), asking(in, "agent"))
		require.NoError(t, err)
		return b.Begin(t.Context(), d)
	}
	lost := func(text, in string) {
		p, err := begin(text, in)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Unknown}))
	}
	lost("a", "s1")
	lost("b", "s1")
	_, err := begin("c", "s1")
	assert.ErrorAs(t, err, new(*admission.BusyError))
	lost("c", "s2")
	_, err = begin("d", "s3")
	assert.ErrorAs(t, err, new(*admission.BusyError), "in all")
	require.NoError(t, b.Operations().Settle(t.Context(), must(b.Operations().Doubts(t.Context()))[0].Intent, true, ana))
	lost("d", "s3")
	b.intact()
}

// Memory stays flat however many proposals there are. The short form is run with
// all tests; CORTEX_SOAK=1000000 is the long one.
func TestSoak(t *testing.T) {
	crashtest.Long(t)
	n := crashtest.Number("CORTEX_SOAK", 4000)
	dir := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = dir })
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const workers = 16
	round := func(from, to int) {
		done := make(chan error, workers)
		for w := range workers {
			go func() {
				for i := from + w; i < to; i += workers {
					d, err := b.Decide(context.Background(), action(t, "note", fmt.Sprintf(`(:text "%d")`, i)),
						asking(fmt.Sprint("s", i/64), fmt.Sprint("p", i/64)))
					if err == nil && i%4 == 0 {
						var p *Permit
						if p, err = b.Begin(context.Background(), d); err == nil {
							err = p.Finish(context.Background(), Receipt{State: act.Done})
						}
					}
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range workers {
			require.NoError(t, <-done)
		}
	}
	round(0, n/2) // caches fill
	half, routines := heap(), runtime.NumGoroutine()
	round(n/2, n)
	full := heap()
	t.Logf("%d proposals: heap %d KiB after half, %d KiB after all", n, half>>10, full>>10)
	assert.Less(t, full, half+half/2+(16<<20), "the heap grows with the number of proposals")
	assert.LessOrEqual(t, runtime.NumGoroutine(), routines+8)
}
