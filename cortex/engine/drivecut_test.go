package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/skills"
)

// An effect in doubt stops the run until somebody says what happened, and that wakes it.
func TestAStepInDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		settle func(*bench, uint64) error
		want   StepState
		calls  int
	}{
		"happened": {func(b *bench, in uint64) error {
			return b.Operations().Settle(context.Background(), in, true, ana)
		}, StepDone, 1},
		"did not": {func(b *bench, in uint64) error {
			return b.Operations().Settle(context.Background(), in, false, ana)
		}, StepFailed, 1},
		"retried": {func(b *bench, in uint64) error {
			_, err := b.Operations().Retry(context.Background(), in, ana)
			return err
		}, StepDone, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := &stepper{steps: []due{{"one", "send_money", `(:recipient "bo" :amount 5)`}}}
			b := newBench(t, testRules, "", driving(p))
			b.tool.fail = context.DeadlineExceeded
			for i := range b.opt.Tools {
				b.opt.Tools[i].Actuator = act.Func(func(ctx context.Context, c act.Call) (Receipt, error) {
					rc, err := b.tool.Act(ctx, c)
					if err != nil {
						return Receipt{State: act.Unknown, Error: "the line broke"}, nil //nolint:nilerr // it is not known
					}
					return rc, nil
				})
			}
			b.reopen()
			b.starts("run_a")
			b.rested("run_a")
			got := p.last("one")
			require.Equal(t, StepInDoubt, got.State)
			assert.Zero(t, b.dues())
			require.NoError(t, b.Operations().Maintain(t.Context()))
			b.rested("run_a")
			assert.Equal(t, 1, b.tool.count(), "it is not taken again")
			b.tool.mu.Lock()
			b.tool.fail = nil
			b.tool.mu.Unlock()
			require.NoError(t, c.settle(b, got.Intent))
			b.rested("run_a")
			assert.Equal(t, c.want, p.last("one").State)
			assert.Equal(t, c.calls, b.tool.count())
			b.replaysTheSame()
			b.intact()
		})
	}
}

// A run is cut at every change to the disk, with a person's answer in it. Whatever engine comes
// next finishes it: no step is taken twice, none without an allow, and no wake-up is lost.
func TestI2_ARunCutAtEveryPoint(t *testing.T) {
	p := &stepper{steps: []due{{"one", "note", `(:text "one")`}, {"two", "risky", `(:what "two")`},
		{"three", "ask_person", sure}, {"four", "look", `(:text "four")`}, {"five", "note", `(:text "five")`}}}
	opt, b := options(t, testRules, "")
	world, cutter := b.tool, newCutter()
	cutter.world = world
	opt.Dir, opt.mount, opt.Driver = "state", on(cutter.disk), p
	b.opt = opt
	b.reopen()
	cutter.watch(true)
	b.starts("run_a")
	b.approveAll("run_a", p)
	cutter.watch(false)
	require.Equal(t, []string{"noted", "did", "did", "did", "did", "did"}, b.events("run_a"))
	require.NoError(t, b.Engine.Close())
	require.Equal(t, 4, world.count())
	require.Greater(t, len(cutter.cuts), 30)
	doubts, finished := 0, 0
	for i, cut := range cutter.cuts {
		if testing.Short() && i%6 > 0 {
			continue
		}
		again := &recordingTool{calls: cut.done}
		next := *b
		next.tool, next.opt.mount = again, on(cut.disk)
		next.opt.Tools = append(opt.Tools[:0:0], opt.Tools...)
		for k := range next.opt.Tools {
			next.opt.Tools[k].Actuator = again
		}
		p := &stepper{steps: p.steps}
		next.opt.Driver, next.Engine = p, nil
		next.reopen()
		if _, err := next.Hosts().Logs().Head("run_a"); errors.Is(err, logs.ErrNoLog) {
			next.starts("run_a") // the client has had no answer
		}
		next.approveAll("run_a", p)
		for call, n := range times(again.calls) {
			if call != again.looked() {
				assert.Equal(t, 1, n, "cut %d: %s", i, call)
			}
		}
		open, err := next.Operations().Doubts(t.Context())
		require.NoError(t, err)
		if len(open) > 0 {
			doubts++
		} else {
			finished++
			assert.Equal(t, []string{"noted", "did", "did", "did", "did", "did"}, next.events("run_a"), "cut %d", i)
			assert.Len(t, times(again.calls), 4, "cut %d", i)
		}
		assert.Zero(t, next.dues(), "cut %d", i)
		require.NoError(t, next.Journal().Verify(t.Context()))
		next.replaysTheSame()
		require.NoError(t, next.Engine.Close())
	}
	assert.Positive(t, doubts, "no cut fell between an intent and its receipt")
	assert.Positive(t, finished)
	t.Logf("%d cuts, %d finished, %d in doubt", len(cutter.cuts), finished, doubts)
}

// looked is the call that changes nothing, which may be made again.
func (r *recordingTool) looked() string {
	a, err := skills.NewAction("look", read(`(:text "four")`), "")
	if err != nil {
		panic(err)
	}
	return a.Canonical()
}

func times(calls []string) map[string]int {
	out := map[string]int{}
	for _, c := range calls {
		out[c]++
	}
	return out
}

// approveAll says yes to each question of a run until it has none.
func (b *bench) approveAll(log string, p *stepper) {
	b.t.Helper()
	for {
		b.rested(log)
		open := b.pending()
		if len(open) == 0 {
			return
		}
		for _, a := range open {
			require.NoError(b.t, b.Approve(b.t.Context(), a.Token, ana))
		}
	}
}

// Retention keeps what a run needs to go on, as long as its log is not over.
func TestRetentionKeepsWhatARunGoesOnWith(t *testing.T) {
	p := &stepper{steps: []due{{"one", "note", `(:text "one")`}, {"two", "risky", `(:what "it")`}}}
	b := newBench(t, testRules, "", driving(p), func(o *Options) { o.Retain.Age = time.Hour })
	b.starts("run_a")
	b.rested("run_a")
	b.clock.Add(20 * 3600)
	did, err := b.Operations().Retain(t.Context())
	require.NoError(t, err)
	require.Positive(t, did.To)
	require.NoError(t, b.Approve(t.Context(), p.last("two").Approval, ana))
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))

	b.noted("run_a", 1, "", over)
	root := func() uint64 {
		h, err := b.Hosts().Logs().Head("run_a")
		require.NoError(t, err)
		return h.Root
	}()
	b.clock.Add(48 * 3600)
	b.noted("another", 1, "")
	_, err = b.Operations().Retain(t.Context())
	require.NoError(t, err)
	tried, err := record.TriedAt(b.j, record.Step{Root: root, ID: "one", Try: "1"})
	require.NoError(t, err)
	assert.Zero(t, tried, "it went with its decision")
	b.noted("run_a", 2, "", func(tx *logs.Tx) { tx.Over(false); tx.Wake() })
	b.rested("run_a")
	assert.Zero(t, b.dues(), "a log that was over goes on")
	_, err = b.Journal().Read(root)
	assert.NoError(t, err)
}

// A repair went on without some records. What a try had done is known by the records that are left,
// or else in doubt; it is not taken again.
func TestI2_AStepAfterALoss(t *testing.T) {
	for name, c := range map[string]struct {
		lost func(Taken) []uint64
		keys func(root uint64) [][]byte
		want StepState
	}{
		"its receipt":  {func(x Taken) []uint64 { return []uint64{x.Receipt} }, nil, StepInDoubt},
		"its decision": {func(x Taken) []uint64 { return []uint64{x.Decision} }, nil, StepDone},
		"both":         {func(x Taken) []uint64 { return []uint64{x.Decision, x.Receipt} }, nil, StepInDoubt},
		"its newest decision, and its intent": {func(x Taken) []uint64 { return []uint64{x.Decision, x.Intent} }, nil,
			StepDone},
		"another record, and the entry": {func(x Taken) []uint64 { return []uint64{x.Decision - 1} },
			func(root uint64) [][]byte { return [][]byte{record.TableTry.Key(root, "one", "1")} }, StepDone},
	} {
		t.Run(name, func(t *testing.T) {
			p := &stepper{steps: []due{{"one", "note", `(:text "a secret")`}}}
			b := newBench(t, testRules, "", func(o *Options) { o.Dir, o.Driver = t.TempDir(), p })
			b.starts("run_a")
			b.approveAll("run_a", p)
			h, err := b.Hosts().Logs().Head("run_a")
			require.NoError(t, err)
			got := p.last("one")
			var forget [][]byte
			if c.keys != nil {
				forget = c.keys(h.Root)
			}
			b.lose(c.lost(got), forget...)
			var now Taken
			b.opt.Driver = driverFunc(func(ctx context.Context, r *Run) (_ Rest, err error) {
				now, err = r.Take(ctx, Step{ID: "one", Try: "1", Action: mustAction(t, "note", `(:text "a secret")`)})
				return Rest{}, err
			})
			b.reopen()
			require.NoError(t, b.Hosts().Drive(t.Context(), "run_a", perceive.Peer{}))
			b.rested("run_a")
			assert.Equal(t, c.want, now.State)
			assert.Equal(t, 1, b.tool.count())
		})
	}
}
