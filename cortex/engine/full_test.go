package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// scarce is an engine on a disk of which a test says how much is free, with a tool
// that counts.
func scarce(t *testing.T) (e *Engine, free func(mib uint64), done *atomic.Int64) {
	t.Helper()
	disk, done := storetest.NewDisk(nil), new(atomic.Int64)
	e, err := open(t.Context(), Options{
		Dir: "state", mount: on(disk), Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(testRules)}},
		Clock: ClockOptions{Now: func() time.Time {
			return start
		}}, Approvals: ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
		Models: Models{Providers: []model.Provider{oneWish{}}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "risky"},
			Actuator: act.Func(func(context.Context, act.Call) (Receipt, error) {
				done.Add(1)
				return Receipt{State: act.Done}, nil
			})}},
	})
	require.NoError(t, err)
	free = func(mib uint64) {
		disk.SetFree(mib << 20)
		require.Eventually(t, func() bool { // it asks by itself, at most so often
			return (e.j.Room() == nil) == (mib > 64)
		}, 10*time.Second, time.Millisecond)
	}
	free(1000)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e, free, done
}

// oneWish is a model that wants one risky thing, and then says that it is done.
type oneWish struct{}

func (oneWish) Name() string { return "one wish" }

func (oneWish) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	for _, m := range p.Messages {
		if m.Role == model.RoleTool {
			return model.Completion{Text: "done"}, nil
		}
	}
	return model.Completion{Text: `(:type :request :payload (:tool "risky" :args (:what "w")))`}, nil
}

// Below the reserve nothing new is begun, anyone who asks; what was begun is finished,
// people can say no and stop everything, and all goes on by itself.
func TestI3_NothingIsBegunWithoutSpace(t *testing.T) {
	ctx := t.Context()
	e, free, _ := scarce(t)
	facts := &Facts{Session: skills.Session{ID: "s", Principal: "agent"}}
	note := action(t, "note", `(:text "milk")`)
	begun, err := e.Decide(ctx, note, facts)
	require.NoError(t, err)
	p, err := e.Begin(ctx, begun)
	require.NoError(t, err)
	allowed, err := e.Decide(ctx, action(t, "note", `(:text "eggs")`), facts)
	require.NoError(t, err)
	var cards []string
	for _, what := range []string{"x", "y"} {
		d, err := e.Decide(ctx, action(t, "risky", `(:what "`+what+`")`), facts)
		require.NoError(t, err)
		cards = append(cards, d.Approval)
	}

	free(20)
	refused := func(err error, what string) {
		t.Helper()
		require.ErrorIs(t, err, journal.ErrFull, what)
		assert.Equal(t, "actions cannot be recorded at the moment, so none is taken; try again later", err.Error(), what)
	}
	last := e.Journal().Last()
	_, err = e.Decide(ctx, note, facts)
	refused(err, "a decision")
	_, err = e.Begin(ctx, allowed)
	refused(err, "a permit for what was allowed before")
	_, err = e.Submit(ctx, Signal{Text: "hello", Session: "s"})
	refused(err, "a signal")
	assert.Equal(t, last, e.Journal().Last())

	st, err := e.Status(ctx)
	require.NoError(t, err)
	require.ErrorIs(t, st.Full, journal.ErrFull)
	assert.Contains(t, st.Full.Error(), "has 20 MiB free")
	require.NoError(t, st.ReadOnly)

	require.NoError(t, p.Finish(ctx, Receipt{State: act.Done}), "a receipt")
	require.NoError(t, e.Deny(ctx, cards[0], approval.Approver{Name: "ana"}, "no"))
	require.NoError(t, e.Approve(ctx, cards[1], approval.Approver{Name: "ana"}))
	require.NoError(t, e.Operations().KillSwitch(ctx, true, approval.Approver{Name: "ana"}))
	require.NoError(t, e.Operations().KillSwitch(ctx, false, approval.Approver{Name: "ana", Via: "test"}))
	require.Greater(t, e.Journal().Last(), last)

	free(1000)
	st, err = e.Status(ctx)
	require.NoError(t, err)
	require.NoError(t, st.Full)
	_, err = e.Begin(ctx, allowed)
	require.NoError(t, err)
	d, err := e.Decide(ctx, action(t, "risky", `(:what "y")`), facts)
	require.NoError(t, err)
	assert.Equal(t, reason.Allow, d.Kind, "a person approved it meanwhile")
}

// An approval that was given while nothing could be begun is acted on when there is
// space.
func TestApprovalsWaitForSpace(t *testing.T) {
	ctx := t.Context()
	e, free, done := scarce(t)
	out, err := e.Submit(ctx, Signal{Text: "do it", Session: "s", Principal: "ann"})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval, out.Notice)
	free(20)
	require.NoError(t, e.Approve(ctx, out.Approval, approval.Approver{Name: "ana"}))
	require.NoError(t, e.Operations().Wait(ctx))
	assert.Zero(t, done.Load())
	free(1000)
	require.NoError(t, e.Operations().Maintain(ctx))
	require.NoError(t, e.Operations().Wait(ctx))
	assert.EqualValues(t, 1, done.Load())
	require.NoError(t, e.Operations().Maintain(ctx))
	require.NoError(t, e.Operations().Wait(ctx))
	assert.EqualValues(t, 1, done.Load(), "once")
}
