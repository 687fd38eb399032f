package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/drive"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
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

// Never-stop leaves a step out: its card goes in the write that says so, and a yes comes too late.
func TestAStepThatIsLeftOut(t *testing.T) {
	p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}, twoNotes[1]}, leave: true}
	b := newBench(t, testRules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "left", "did"}, b.events("run_a"))
	card, err := b.Engine.Approvals().Get(t.Context(), p.last("one").Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Withdrawn, card.State)
	assert.Error(t, b.Approve(t.Context(), card.Token, ana))
	assert.Equal(t, 1, b.tool.count())
	assert.Empty(t, b.pending())

	t.Run("too late", func(t *testing.T) {
		b, p := b, &stepper{steps: []due{{"one", "risky", `(:what "other")`}}}
		b.opt.Driver = p
		b = newBench(t, testRules, "", driving(p))
		b.starts("run_a")
		b.rested("run_a")
		require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
		b.rested("run_a")
		_, err := b.Hosts().Logs().Append(t.Context(), logs.Write{Log: "run_a", Family: "test", By: "ann"},
			noting("run_a", 7, "", func(tx *logs.Tx) { tx.Leave("one", "1") }))
		assert.NoError(t, err, "its newest decision is an allow, which has no card")
		assert.Equal(t, 1, b.tool.count())
	})
}

// A person puts other arguments in the place of the step's: that is what is taken, once.
func TestAnEditedStepIsTakenAsEdited(t *testing.T) {
	p := &stepper{steps: []due{{"one", "risky", `(:what "all of it")`}}}
	b := newBench(t, testRules, "", driving(p))
	b.starts("run_a")
	b.rested("run_a")
	d, err := b.Edit(t.Context(), p.last("one").Approval, ana, read(`(:what "a part of it")`))
	require.NoError(t, err)
	b.rested("run_a")
	assert.Equal(t, []string{"noted", "did"}, b.events("run_a"))
	require.Len(t, b.tool.calls, 1)
	assert.Contains(t, b.tool.calls[0], "a part of it")
	assert.Greater(t, p.last("one").Decision, d.ID)
	b.replaysTheSame()
	b.intact()
}

// New rules end the card of a step, and decide the step again.
func TestNewRulesDecideAStepAgain(t *testing.T) {
	for name, c := range map[string]struct {
		rule  string
		state StepState
		runs  int
	}{
		"allowed": {`:tier :allow`, StepDone, 1}, "denied": {`:tier :deny`, StepDenied, 0},
		"asked": {`:tier :ask :doc "Other words."`, StepAsked, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}}}
			b := newBench(t, testRules, "", driving(p))
			b.starts("run_a")
			b.rested("run_a")
			first := p.last("one")
			rules := fmt.Sprintf(`(deftool risky :params (:what string) :required (:what) %s :effect :external)`, c.rule)
			b.opt.Rules.(fstest.MapFS)["rules.lisp"] = &fstest.MapFile{Data: []byte(rules)}
			require.NoError(t, b.Operations().Reload(t.Context()))
			b.rested("run_a")
			assert.Equal(t, c.state, p.last("one").State)
			assert.Equal(t, c.runs, b.tool.count())
			if c.state == StepAsked {
				assert.NotEqual(t, first.Approval, p.last("one").Approval)
				require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
				b.rested("run_a")
				assert.Equal(t, StepDone, p.last("one").State)
			}
			assert.Zero(t, b.dues())
			b.replaysTheSame()
		})
	}
}

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
			assert.Equal(t, 1, b.tool.count(), "nobody takes it again")
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

// A card has one effect. A step whose card is a conversation's, or an embedder's, is decided again
// when that is answered; a yes that was given to a run is for the run.
func TestI2_AStepTakesNobodyElsesEffect(t *testing.T) {
	const what = `(:what "it")`
	steps := []due{{"one", "risky", what}}
	asks := func(b *bench) *Decision {
		a, err := skills.NewAction("risky", read(what), "")
		require.NoError(b.t, err)
		d, err := b.Hosts().Decide(b.t.Context(), a, &Facts{Session: skills.Session{ID: "s1", Principal: "ann"}})
		require.NoError(b.t, err)
		return d
	}
	t.Run("it joins another's card", func(t *testing.T) {
		p := &stepper{steps: steps}
		b := newBench(t, testRules, "", driving(p))
		theirs := asks(b)
		b.starts("run_a")
		b.rested("run_a")
		assert.Equal(t, theirs.Approval, p.last("one").Approval)
		require.NoError(t, b.Approve(t.Context(), theirs.Approval, ana))
		b.rested("run_a")
		assert.Equal(t, StepAsked, p.last("one").State)
		assert.Zero(t, b.tool.count(), "the yes is the other's")
		again := asks(b)
		require.Equal(t, reason.Allow, again.Kind)
		permit, err := b.Begin(t.Context(), again)
		require.NoError(t, err)
		_, err = b.dispatcher.Dispatch(t.Context(), permit)
		require.NoError(t, err)
		b.rested("run_a")
		require.Equal(t, StepAsked, p.last("one").State)
		require.NotEqual(t, theirs.Approval, p.last("one").Approval)
		require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
		b.rested("run_a")
		assert.Equal(t, StepDone, p.last("one").State)
		assert.Equal(t, 2, b.tool.count())
		b.replaysTheSame()
		b.intact()
	})
	t.Run("another takes the place of its card", func(t *testing.T) {
		p := &stepper{steps: steps}
		b := newBench(t, testRules, "", driving(p))
		b.starts("run_a")
		b.rested("run_a")
		mine := p.last("one").Approval
		theirs := asks(b)
		b.rested("run_a")
		assert.NotEqual(t, mine, theirs.Approval)
		assert.Equal(t, theirs.Approval, p.last("one").Approval)
		require.NoError(t, b.Deny(t.Context(), theirs.Approval, ana, "not for them"))
		b.rested("run_a")
		require.Equal(t, StepAsked, p.last("one").State, "it is decided again")
		require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
		b.rested("run_a")
		assert.Equal(t, StepDone, p.last("one").State)
		assert.Equal(t, 1, b.tool.count())
		b.replaysTheSame()
	})
	t.Run("its yes is for no other", func(t *testing.T) {
		var mu sync.Mutex
		var got *Decision
		p := &stepper{steps: steps}
		b := newBench(t, testRules, "", driving(p))
		p.hook = func(at string) { // after the yes, before the run uses it
			mu.Lock()
			defer mu.Unlock()
			if card, err := b.Engine.Approvals().Get(t.Context(), p.taken["one"].Approval); at == "fold" && err == nil &&
				card.State == approval.Approved && got == nil {
				got = asks(b)
			}
		}
		b.starts("run_a")
		b.rested("run_a")
		require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
		b.rested("run_a")
		require.NotNil(t, got)
		assert.Equal(t, reason.Ask, got.Kind)
		assert.Zero(t, b.tool.count())
		b.replaysTheSame()
	})
}

// A conversation that had asked for the same as a run gets its own answer.
func TestAConversationBesideARunIsDecidedOnItsOwn(t *testing.T) {
	p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}}}
	b := newBench(t, testRules, `(:form (:type :request :payload (:tool "risky" :args (:what "it")))) (:reply "done")`,
		driving(p))
	out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, out.Approval, p.last("one").Approval)
	require.NoError(t, b.Approve(t.Context(), out.Approval, ana))
	b.rested("run_a")
	b.quiet()
	assert.Equal(t, 1, b.tool.count(), "the conversation's")
	require.Equal(t, StepAsked, p.last("one").State)
	require.NoError(t, b.Approve(t.Context(), p.last("one").Approval, ana))
	b.rested("run_a")
	assert.Equal(t, []any{StepDone, 2}, []any{p.last("one").State, b.tool.count()})
	b.replaysTheSame()
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
		if testing.Short() && i%3 > 0 {
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
