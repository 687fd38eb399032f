package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

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

// A card has one effect. A step whose card is a conversation's, or an embedder's, is decided again
// when that is answered; a yes that was given to a run is for the run.
func TestI2_AStepTakesNoEffectOfAnother(t *testing.T) {
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
		assert.Equal(t, []any{reason.Deny, ledger.KeyBusy, true}, []any{got.Kind, got.Key, got.Retry})
		assert.Equal(t, []any{StepDone, 1}, []any{p.last("one").State, b.tool.count()})
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

// What a decision rests on may change before the permit: the step is decided again in the write of
// its intent, and how the try stands with it.
func TestAStepThatIsDecidedAgainForItsPermit(t *testing.T) {
	var b *bench
	p := &stepper{steps: []due{{"one", "send_money", `(:recipient "bo" :amount 600)`},
		{"two", "send_money", `(:recipient "cy" :amount 600)`}}}
	b = newBench(t, testRules, "", driving(p), func(o *Options) { o.Dir = t.TempDir() })
	b.starts("run_a")
	b.rested("run_a")
	assert.Equal(t, []StepState{StepDone, StepDenied}, []StepState{p.last("one").State, p.last("two").State})

	// The first decision is on record and the engine stops; then the budget is used by another.
	p = &stepper{steps: []due{{"one", "send_money", `(:recipient "bo" :amount 300)`}}}
	b.opt.Driver = driverFunc(func(ctx context.Context, r *Run) (Rest, error) {
		a, err := skills.NewAction("send_money", read(p.steps[0].args), "")
		if err != nil {
			return Rest{}, err
		}
		q := ledger.Question{Cause: ledger.Stepping{Step: record.Step{Root: r.Root, ID: "one", Try: "1"}},
			Attempt: ledger.First{}, Action: a, Requester: "agent",
			Facts: skills.Facts{Session: skills.Session{ID: "s1", Principal: "ann"}}}
		_, err = b.ledger.DecideOn(ctx, q) // and nothing more: as if the process had ended here
		return Rest{}, err
	})
	b.reopen()
	b.starts("run_b")
	b.rested("run_b")
	pay, err := b.Decide(t.Context(), mustAction(t, "send_money", `(:recipient "di" :amount 90)`),
		&Facts{Session: skills.Session{ID: "s9", Principal: "ann"}})
	require.NoError(t, err)
	_, err = b.Begin(t.Context(), pay)
	require.NoError(t, err)
	b.opt.Driver = p
	b.reopen()
	require.NoError(t, b.Hosts().Drive(t.Context(), "run_b", perceive.Peer{Principal: "ann"}))
	b.rested("run_b")
	got := p.last("one")
	require.Equal(t, StepDone, got.State)
	x, err := b.Explain(t.Context(), got.Decision)
	require.NoError(t, err)
	assert.Equal(t, got.Intent, x.Intent)
	assert.Greater(t, got.Decision, pay.ID, "the newest decision of the try is the one that was acted on")
	b.replaysTheSame()
	b.intact()
}

func mustAction(t *testing.T, tool, args string) *Action {
	t.Helper()
	a, err := skills.NewAction(tool, read(args), "")
	require.NoError(t, err)
	return a
}

// The clock was set back, so that a conversation's card does not hold: a run's takes its place. The
// yes is the run's, and the conversation is decided again: while the run is about to act it is told to
// come later, and behind that it asks with a card of its own. Each of its answers is one that was due.
func TestAConversationWhoseCardARunReplaces(t *testing.T) {
	for _, c := range []struct {
		name     string
		runFirst bool // the run has acted before the conversation is decided again
		answers  int
	}{{"before the run", false, 2}, {"behind the run", true, 3}} {
		t.Run(c.name, func(t *testing.T) {
			var gate sync.Mutex // of the run
			p := &stepper{steps: []due{{"one", "risky", `(:what "it")`}}, hook: func(string) {
				gate.Lock()
				defer gate.Unlock()
			}}
			b, m := newMachine(t, testRules, driving(p), func(o *Options) {
				script, err := model.NewScripted("script", "script.lisp",
					`(:form (:type :request :payload (:tool "risky" :args (:what "it")))) (:reply "done")`)
				require.NoError(t, err)
				o.Models.Providers = []model.Provider{script}
			})
			out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
			require.NoError(t, err)
			m.set(-year)
			b.starts("run_a")
			b.rested("run_a")
			mine := p.last("one")
			require.Equal(t, StepAsked, mine.State)
			require.NotEqual(t, out.Approval, mine.Approval)

			leave := gate.Unlock
			if c.runFirst {
				leave, err = b.sessions.Enter(t.Context(), "s1")
				require.NoError(t, err)
			} else {
				gate.Lock()
			}
			require.NoError(t, b.Approve(t.Context(), mine.Approval, ana))
			require.Eventually(t, func() bool {
				return c.runFirst && p.last("one").State == StepDone || !c.runFirst && len(b.answers("s1")) == 2
			}, time.Minute, time.Millisecond)
			leave()
			b.rested("run_a")
			assert.Equal(t, StepDone, p.last("one").State)
			assert.Equal(t, 1, b.tool.count())
			again := b.pending()
			require.Len(t, again, c.answers-2, "the conversation's own card, unless it was told to come later")
			for _, a := range again {
				require.NoError(t, b.Approve(t.Context(), a.Token, ana))
			}
			b.quiet()
			assert.Equal(t, 1+len(again), b.tool.count())
			told := b.answers("s1")
			assert.Len(t, told, c.answers, "the conversation has heard of each, once: %q", told)
			slices.Sort(told)
			assert.Len(t, slices.Compact(told), c.answers)
			b.replaysTheSame()
		})
	}
}

// answers are the answers to the signals of a session, on record.
func (b *bench) answers(session string) (out []string) {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindAnswer && r.Session == session {
			out = append(out, r.Body.GetText("notice")+r.Body.GetText("text"))
		}
		return nil
	}))
	return out
}
