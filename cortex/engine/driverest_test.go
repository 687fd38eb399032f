package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/internal/drive"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/skills"
)

// driverFunc is a driver made of one function.
type driverFunc func(ctx context.Context, r *Run) (Rest, error)

func (f driverFunc) Drive(ctx context.Context, r *Run) (Rest, error) { return f(ctx, r) }

func TestI6_OnlyTheEngineMakesARoot(t *testing.T) {
	b := newBench(t, testRules, "", driving(&stepper{}))
	_, err := b.Accept(t.Context(), Signal{Sensor: perceive.Run, Session: "run_a", Type: perceive.Event})
	assert.ErrorIs(t, err, perceive.ErrRefused)
	_, err = b.Hosts().Hear(t.Context(), Signal{Sensor: perceive.Run, Session: "run_a"})
	assert.Error(t, err)
	form := read(`(:type :event :payload (:sensor :run))`)
	_, err = perceive.Normalise(perceive.Peer{Source: "repl", Principal: "eve"}, form)
	assert.ErrorIs(t, err, perceive.ErrRefused)
	assert.Zero(t, b.dues())
}

// What gates read of a run comes from the engine. A caller's own word on it is dropped.
func TestI6_RulesReadOfAStepWhatTheEngineSays(t *testing.T) {
	const rules = testRules + `
(defskill steps :priority 200 :gate (
  (deny undoing :when (and (has? facts.step.step) (= facts.step.step "two") (= facts.step.version 1)
    (not facts.step.undo) (= facts.work.ticket 17)) :reason "not this one")))`
	p := &stepper{steps: twoNotes, work: `(:ticket 17)`}
	b := newBench(t, rules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, []any{StepDone, StepDenied, "steps/undoing"},
		[]any{p.last("one").State, p.last("two").State, p.last("two").Key})
	b.replaysTheSame()

	a, err := skills.NewAction("note", read(`(:text "x")`), "")
	require.NoError(t, err)
	d, err := b.Decide(t.Context(), a, &Facts{Step: skills.Step{ID: "two", Version: 1}, Work: read(`(:ticket 17)`)})
	require.NoError(t, err)
	assert.NotEqual(t, "steps/undoing", d.Key)
	x, err := b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	assert.Zero(t, x.Facts.Step)
	assert.True(t, x.Facts.Work.IsNil())
}

func TestAStepNeedsASessionAndNames(t *testing.T) {
	errs := map[string]error{}
	action, err := skills.NewAction("note", read(`(:text "x")`), "")
	require.NoError(t, err)
	var kept *Run
	b := newBench(t, testRules, "", func(o *Options) {
		o.Driver = driverFunc(func(ctx context.Context, r *Run) (Rest, error) {
			kept = r
			_, errs[r.Log] = r.Take(ctx, Step{ID: "one", Try: "1", Action: action})
			_, errs["no try"] = r.Take(ctx, Step{ID: "one", Action: action})
			_, errs["no action"] = r.Take(ctx, Step{ID: "one", Try: "1"})
			_, errs["work"] = r.Take(ctx, Step{ID: "one", Try: "1", Action: action, Work: read(`(1 2)`)})
			return Rest{}, nil
		})
	})
	b.noted("run_b", 0, "", func(tx *logs.Tx) { tx.Wake() })
	b.rested("run_b")
	assert.ErrorIs(t, errs["run_b"], ErrNoSession)
	b.starts("run_a")
	b.rested("run_a")
	require.NoError(t, errs["run_a"])
	for _, name := range []string{"no try", "no action", "work"} {
		assert.Error(t, errs[name], name)
	}
	_, err = kept.Take(t.Context(), Step{ID: "two", Try: "1", Action: action})
	assert.ErrorIs(t, err, ErrRunOver)
	_, err = kept.Look("one", "1")
	assert.ErrorIs(t, err, ErrRunOver)
	assert.Equal(t, 1, b.tool.count())
}

// A run that is woken while its driver is about to rest is looked at once more.
func TestI4_NoWakeUpIsLostBeforeRest(t *testing.T) {
	var b *bench
	var mu sync.Mutex
	calls := 0
	b = newBench(t, testRules, "", func(o *Options) {
		o.Driver = driverFunc(func(ctx context.Context, r *Run) (Rest, error) {
			mu.Lock()
			calls++
			n := calls
			mu.Unlock()
			if n < 5 { // the wake-up comes while the driver has seen all that it will see
				return Rest{Why: "waits"}, r.Logs.Wake(ctx, r.Log, "ann")
			}
			return Rest{Why: "waits"}, nil
		})
	})
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, 5, calls)
	assert.Zero(t, b.dues())
	answers := 0
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindAnswer {
			answers++
			assert.Equal(t, "waits", r.Body.GetText("notice"))
		}
		return nil
	}))
	assert.Equal(t, 1, answers, "a run that is not at rest is not answered")
}

// Each start and each heartbeat that finds a run which its driver cannot go on with is a take-up.
// After three the driver is told, and after six the engine puts the run to rest.
func TestAStuckRunIsToldUntilReleased(t *testing.T) {
	fault := errors.New("cannot fold")
	var mu sync.Mutex
	var stuck []bool
	failing := true
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Driver = driverFunc(func(ctx context.Context, r *Run) (Rest, error) {
			mu.Lock()
			stuck = append(stuck, r.Stuck)
			fails := failing
			mu.Unlock()
			if fails {
				_, err := r.Take(ctx, Step{ID: "x", Try: "1"})
				if r.Stuck {
					assert.ErrorIs(t, err, ErrStuck)
				}
				panic(fault)
			}
			return p.Drive(ctx, r)
		})
	})
	again := func() {
		require.NoError(t, b.Operations().Maintain(t.Context()))
		b.rested("run_a")
	}
	b.starts("run_a")
	b.rested("run_a")
	again()
	b.reopen()
	b.rested("run_a")
	again()
	assert.Equal(t, []bool{false, false, false, false}, stuck)
	again()
	again()
	again()
	assert.Equal(t, 7, len(stuck))
	assert.True(t, stuck[4] && stuck[5] && stuck[6])
	again()
	again()
	assert.Equal(t, 7, len(stuck), "the engine has put it to rest")
	assert.Zero(t, b.dues())

	failing = false
	b.noted("run_a", 1, "", func(tx *logs.Tx) { tx.Wake() })
	b.rested("run_a")
	assert.False(t, stuck[len(stuck)-1], "a release")
	assert.Equal(t, 2, b.tool.count())
}

// A driver that is told blocks the run, and a release goes on.
func TestATakeUpCountsAnewWithEachAdvance(t *testing.T) {
	var mu sync.Mutex
	fails := 3
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", func(o *Options) {
		o.Driver = driverFunc(func(ctx context.Context, r *Run) (Rest, error) {
			mu.Lock()
			defer mu.Unlock()
			if fails--; fails > 0 {
				return Rest{}, errors.New("not yet")
			}
			if fails == 0 { // an advance, and then it fails again
				return Rest{}, errors.Join(p.note(ctx, r, "noted", "half", "", nil), errors.New("not yet"))
			}
			if fails > -3 {
				return Rest{}, errors.New("not yet")
			}
			return p.Drive(ctx, r)
		})
	})
	b.starts("run_a")
	b.rested("run_a")
	for range 5 {
		require.NoError(t, b.Operations().Maintain(t.Context()))
		b.rested("run_a")
	}
	assert.Zero(t, p.stuck)
	assert.Equal(t, []string{"noted", "noted", "did", "did"}, b.events("run_a"))
}

func TestTheKillSwitchHoldsARunAndCountsNothing(t *testing.T) {
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", driving(p))
	require.NoError(t, b.Operations().KillSwitch(t.Context(), true, ana))
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, StepLater, p.last("one").State)
	for range 10 {
		require.NoError(t, b.Operations().Maintain(t.Context()))
	}
	b.rested("run_a")
	assert.Equal(t, 1, b.dues(), "it is held")
	assert.Zero(t, b.tool.count())
	decisions := b.kinds()["decision"]
	require.NoError(t, b.Operations().KillSwitch(t.Context(), false, ana))
	require.NoError(t, b.Operations().Maintain(t.Context()))
	b.rested("run_a")
	assert.Zero(t, p.stuck)
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	assert.Zero(t, decisions, "nothing was decided while nothing may be done")
	assert.Zero(t, b.dues())
}

// A gate that fails says nothing about the step: it is judged again when the gate works.
func TestAFailedGateHoldsARun(t *testing.T) {
	var mu sync.Mutex
	broken := true
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", driving(p), func(o *Options) {
		o.Gates = []Gate{{Name: "check", Version: "1", Judge: func(context.Context, *skills.Case) (skills.Verdict, error) {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return nil, errors.New("the service is down")
			}
			return skills.Pass{}, nil
		}}}
	})
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, StepLater, p.last("one").State)
	for range 5 {
		require.NoError(t, b.Operations().Maintain(t.Context()))
		b.rested("run_a")
	}
	assert.Equal(t, 1, b.dues())
	mu.Lock()
	broken = false
	mu.Unlock()
	require.NoError(t, b.Operations().Maintain(t.Context()))
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	assert.Zero(t, p.stuck)
	b.replaysTheSame()
}

// 10,000 runs that wait are no open signals: nothing is kept of them in memory, they have no place
// among the signals, and opening does not look at them.
func TestTenThousandRunsThatWait(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 300
	}
	p := driverFunc(func(context.Context, *Run) (Rest, error) { return Rest{Why: "waits"}, nil })
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir, o.Driver = t.TempDir(), p
		o.Caps.Signals = 1
	})
	for i := range n {
		b.starts(fmt.Sprintf("run_%d", i))
	}
	b.quiet()
	assert.Zero(t, b.dues())
	st, err := b.Status(t.Context())
	require.NoError(t, err)
	assert.Zero(t, st.Memory)
	assert.Zero(t, st.Running)
	calls := 0
	b.opt.Driver = driverFunc(func(context.Context, *Run) (Rest, error) { calls++; return Rest{}, nil })
	begun := time.Now()
	b.reopen()
	b.quiet()
	t.Logf("%d runs at rest: opened in %s", n, time.Since(begun))
	assert.Zero(t, calls)
	assert.Equal(t, drive.MaxTakeUps, 3)
}

// An engine without a driver, or without effects, leaves runs as they are for the next one.
func TestARunIsDueUntilAnEngineDrives(t *testing.T) {
	p := &stepper{steps: twoNotes}
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	b.starts("run_a")
	b.rested("run_a")
	require.NoError(t, b.Operations().Maintain(t.Context()))
	b.opt.Driver, b.opt.Live, b.opt.Dry = p, false, true
	for range 5 {
		b.reopen()
	}
	b.rested("run_a")
	assert.Zero(t, p.calls)
	assert.Equal(t, 1, b.dues())
	b.opt.Live, b.opt.Dry = true, false
	b.reopen()
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did", "did"}, b.events("run_a"))
	assert.Zero(t, p.stuck)
}

// A log that was deleted is not driven, and its card is withdrawn.
func TestARunWhoseLogWasDeleted(t *testing.T) {
	p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}}}
	b := newBench(t, testRules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	require.NoError(t, b.Hosts().Logs().Delete(t.Context(), "run_a", "ana", "cli"))
	err := b.Approve(t.Context(), p.last("one").Approval, ana)
	assert.ErrorContains(t, err, "is withdrawn", "nothing waits for its card any more")
	b.quiet()
	assert.Zero(t, b.tool.count())
	assert.Zero(t, b.dues())
	assert.ErrorIs(t, b.Hosts().Drive(t.Context(), "run_a", perceive.Peer{}), logs.ErrNoLog)
}
