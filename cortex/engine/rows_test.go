package engine

// Tests named after the rows of section 9 of the specification that are about
// the pipeline as a whole. Rows about one stage are tested in its package.

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
)

func TestRow024_DepthElevenIsDropped(t *testing.T) {
	b := newBench(t, testRules, `(:repeat t :reply "hi")`)
	for depth, dropped := range map[int]bool{10: false, 11: true} {
		out, err := b.Submit(t.Context(), Signal{Text: "hello", Session: "s1", Depth: depth})
		require.NoError(t, err)
		assert.Equal(t, dropped, out.Dropped, depth)
		assert.Equal(t, !dropped, out.Text == "hi", depth)
	}
}

func TestRow025_FeedbackInheritsDepthAndTheLoopEnds(t *testing.T) {
	b := newBench(t, testRules, `(:repeat t :form (:tool "look" :args (:text "again")))`)
	out := b.say("look forever")
	assert.True(t, out.Dropped)
	assert.Equal(t, 11, b.tool.count(), "depths 0 to 10, one action each")
	var depths []int
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind != record.KindSignal {
			return nil
		}
		s, err := perceive.DecodeSignal(r.Body)
		depths = append(depths, s.Depth)
		return err
	}))
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, depths)
	b.intact()
}

// Row 74, changed: the ancestor's per-tool guard is superseded by the gates, so
// "guard false" is "no permit", and the body does not run. The record says what was
// decided; a copy in the caller's hands that says otherwise changes nothing.
func TestRow074_NoPermitNoBody(t *testing.T) {
	b := newBench(t, testRules, "")
	for name, d := range map[string]*Decision{
		"a gate":       b.decideOn("note", `(:text "a rude word")`),
		"an invariant": b.decideOn("send_money", `(:recipient "bo" :amount 1001)`),
		"a tier":       b.decideOn("never", `(:what "x")`),
		"an ask":       b.decideOn("risky", `(:what "x")`),
	} {
		require.NotEqual(t, reason.Allow, d.Kind, name)
		forged := *d
		forged.Kind, forged.Key, forged.Reasons, forged.Asks = reason.Allow, "tier/"+d.Action.Tool(), nil, nil
		for how, d := range map[string]*Decision{"denied": d, "forged": &forged} {
			p, err := b.Begin(t.Context(), d)
			var refused *ledger.NotAllowed
			require.ErrorAs(t, err, &refused, "%s, %s", name, how)
			assert.NotEqual(t, reason.Allow, refused.Decision.Kind)
			assert.Nil(t, p)
			_, err = b.dispatcher.Dispatch(t.Context(), p)
			require.ErrorIs(t, err, act.ErrForeign, "%s, %s", name, how)
		}
		forged.ID = 0
		_, err := b.Begin(t.Context(), &forged)
		require.ErrorContains(t, err, "that this engine recorded", name)
	}
	assert.Zero(t, b.tool.count())
	assert.Zero(t, b.kinds()[record.KindIntent], "nothing was to be done")

	p, err := b.Begin(t.Context(), b.decideOn("note", `(:text "milk")`))
	require.NoError(t, err)
	_, err = b.dispatcher.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, 1, b.tool.count(), "an allow runs")
	b.intact()
}

// W27: turns are counted for the root signal, and its children inherit the count.
func TestW27_TurnsAreBoundedPerRoot(t *testing.T) {
	b := newBench(t, testRules,
		`(:repeat t :form (:tool "look" :args (:text "again")))`, func(o *Options) { o.Budgets.Turns = 4 })
	out := b.say("look forever")
	assert.Contains(t, out.Notice, "budget of 4 model turns")
	assert.Equal(t, 4, b.tool.count())
	b.say("again")
	assert.Equal(t, 8, b.tool.count(), "another signal has its own budget")
}

func TestBudgetOfMoneyPerRoot(t *testing.T) {
	b := newBench(t, testRules,
		`(:repeat t :form (:tool "look" :args (:text "again")) :usage (:in 10 :out 10 :cost 0.4))`, func(o *Options) {
			o.Budgets.Cost = 1
		})
	out := b.say("look forever")
	assert.Contains(t, out.Notice, "$1.00")
	assert.Equal(t, 3, b.tool.count())
}

type panicky struct{}

func (panicky) Name() string { return "panicky" }
func (panicky) Complete(context.Context, model.Prompt) (model.Completion, error) {
	panic("socket dead")
}

func TestRow026_ACrashLeavesOneLoopErrorAndALiveProcess(t *testing.T) {
	b := newBench(t, testRules, `(:reply "alive")`, func(o *Options) {
		o.Handlers = []session.Handler{func(_ context.Context, s Signal) (bool, string, error) {
			if s.Text == "crash" {
				panic("skill broke")
			}
			return false, "", nil
		}}
	})
	_, err := b.Submit(t.Context(), Signal{Text: "crash", Session: "s1"})
	require.ErrorContains(t, err, "skill broke")
	loops := 0
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindSignal && r.Body.GetText("sensor") == perceive.LoopError {
			loops++
			assert.EqualValues(t, 1, r.Body.GetInt("depth"))
		}
		return nil
	}))
	assert.Equal(t, 1, loops)
	assert.Equal(t, "alive", b.say("hello").Text)
	b.intact()
}

func TestRow027_ErrorsOnErrorsGoNoFurther(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) {
		o.Handlers = []session.Handler{func(context.Context, Signal) (bool, string, error) {
			return false, "", errors.New("broken")
		}}
	})
	for _, sensor := range []string{perceive.LoopError, perceive.ToolError} {
		before := b.kinds()["signal"]
		_, err := b.Submit(t.Context(), Signal{Sensor: sensor, Session: "s1"})
		assert.Error(t, err)
		assert.Equal(t, before+1, b.kinds()["signal"], "the signal itself, and no loop-error about it")
	}
}

func TestRow029_AModelFailureLeavesTheRecordIntact(t *testing.T) {
	b := newBench(t, testRules, `(:form (:tool "note" :args (:text "milk"))) (:error "down") (:error "down")`)
	out := b.say("note milk")
	assert.Contains(t, out.Notice, "no model answered")
	assert.Equal(t, 1, b.tool.count())
	assert.Equal(t, 1, b.kinds()["receipt"])
	b.intact()
}

func TestRow044_AllProvidersFail(t *testing.T) {
	b := newBench(t, testRules, `(:error "a")`, func(o *Options) {
		o.Models.Providers = append(o.Models.Providers, panicky{})
	})
	out := b.say("hello")
	assert.Contains(t, out.Notice, "no model answered")
	assert.Empty(t, out.Decisions, "no gate was asked")
}

func TestRow047_ThreeRejectionsThenTheLastRealReason(t *testing.T) {
	b := newBench(t, testRules, `(:repeat t :form (:tool "note" :args (:text "rude")))`)
	out := b.say("write")
	assert.Len(t, out.Decisions, 3)
	assert.Contains(t, out.Notice, "notes are polite")
	assert.Empty(t, b.tool.calls)
	b.intact()
}

func TestRow051_OtherSensorsReachNoModel(t *testing.T) {
	b := newBench(t, testRules, `(:reply "never said")`)
	for _, sensor := range []string{perceive.Heartbeat, "buffer-update", perceive.Interrupt, "weather"} {
		out, err := b.Submit(t.Context(), Signal{Sensor: sensor, Text: "x", Session: "s1"})
		require.NoError(t, err)
		assert.Empty(t, out.Text)
		assert.Empty(t, out.Decisions)
	}
}

// Row 61 and W2: what is blocked between the decision and the effect does not
// run. "Blocked" is a value that cannot be dispatched.
func TestRow061_TheLastMileCheckBlocks(t *testing.T) {
	b := newBench(t, testRules, "")
	first := b.decideOn("send_money", `(:recipient "a" :amount 900)`)
	other, err := b.Decide(t.Context(), action(t, "send_money", `(:recipient "b" :amount 900)`), asking("s2", "agent"))
	require.NoError(t, err)
	p, err := b.Begin(t.Context(), other)
	require.NoError(t, err)
	_, err = b.dispatcher.Dispatch(t.Context(), p)
	require.NoError(t, err)
	p, err = b.Begin(t.Context(), first)
	assert.Nil(t, p)
	assert.ErrorAs(t, err, new(*ledger.NotAllowed))
	_, err = b.dispatcher.Dispatch(t.Context(), p)
	assert.Error(t, err)
	assert.Equal(t, 1, b.tool.count())
	b.intact()
}

func TestRow073_UnknownToolIsRefusedBeforeTheGates(t *testing.T) {
	b := newBench(t, testRules, `(:form (:tool "nope" :args (:x "1"))) (:reply "sorry" :expect ("Tool 'nope' not found"))`)
	out := b.say("do it")
	assert.Equal(t, "sorry", out.Text)
	assert.Equal(t, "tool/unknown", out.Decisions[0].Key)
	b.intact()
}

func TestRow075_AToolThatFailsIsHeardByTheModel(t *testing.T) {
	b := newBench(t, testRules,
		`(:form (:tool "note" :args (:text "milk"))) (:reply "it failed" :expect ("disk on fire"))`)
	b.tool.fail = errors.New("disk on fire")
	out := b.say("note milk")
	assert.Equal(t, "it failed", out.Text)
	require.Len(t, out.Receipts, 2)
	assert.Equal(t, act.Failed, out.Receipts[0].State)
	b.intact()
}

func TestRow077_RepliesGiveNoFeedback(t *testing.T) {
	b := newBench(t, testRules, `(:reply "hi")`)
	b.say("hello")
	assert.Equal(t, 1, b.kinds()["signal"])
}

func TestRow084_ToolOutputIsTheNextTurn(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "look" :args (:text "left")))
(:form (:tool "look" :args (:text "right")) :when (":did \"look\""))
(:reply "seen both" :when (":did \"look\""))`)
	out := b.say("look around")
	assert.Equal(t, "seen both", out.Text)
	assert.Equal(t, 2, b.tool.count())
	b.intact()
}

func TestNativeCallsAreJudgedOneByOne(t *testing.T) {
	b := newBench(t, testRules, `
(:calls ((:id "1" :name "note" :args (:text "one")) (:id "2" :name "note" :args (:text "rude")) (:id "3" :name "note" :args (:text "three"))))
(:reply "ok" :expect ("notes are polite" "not judged"))`)
	out := b.say("three notes")
	assert.Equal(t, "ok", out.Text)
	require.Len(t, b.tool.calls, 1, "the first ran; the second stopped the third")
	b.intact()
}

func TestRow049_AModelCannotMarkItselfApproved(t *testing.T) {
	b := newBench(t, testRules,
		`(:form (:type :request :target :tool :approved t :payload (:tool "risky" :approved t :args (:what "x"))))`)
	out := b.say("do it")
	assert.NotEmpty(t, out.Approval)
	assert.Empty(t, b.tool.calls)
	b.intact()
}

// W7: there is no guard that could be forgotten: a tool runs after the gates or
// not at all, and its own refusal is a receipt.
func TestW07_NoToolRunsUnjudged(t *testing.T) {
	b := newBench(t, testRules, "")
	for _, tool := range []string{"note", "risky", "never", "look"} {
		_, err := b.dispatcher.Dispatch(t.Context(), nil)
		assert.Error(t, err, tool)
		_, err = b.dispatcher.Dispatch(t.Context(), new(act.Permit))
		assert.Error(t, err, tool)
	}
	assert.Empty(t, b.tool.calls)
}

// The sessions run side by side: one that waits for its tool blocks nobody else.
func TestSessionsRunSideBySide(t *testing.T) {
	b := newBench(t, testRules,
		`(:repeat t :when ("slow") :form (:tool "note" :args (:text "slow"))) (:repeat t :reply "quick")`)
	b.tool.hold = make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := b.Submit(context.Background(), Signal{Text: "slow", Session: "a", Principal: "x"})
		done <- err
	}()
	out, err := b.Submit(t.Context(), Signal{Text: "fast", Session: "b", Principal: "y"})
	require.NoError(t, err)
	assert.Equal(t, "quick", out.Text)
	close(b.tool.hold)
	require.NoError(t, <-done)
}

func TestHandlersMayTakeASignal(t *testing.T) {
	b := newBench(t, testRules, `(:reply "from the model")`, func(o *Options) {
		o.Handlers = []session.Handler{func(_ context.Context, s Signal) (bool, string, error) {
			return s.Text == "ping", "pong", nil
		}}
	})
	assert.Equal(t, "pong", b.say("ping").Notice)
	assert.Equal(t, "from the model", b.say("hello").Text)
}
