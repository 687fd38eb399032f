package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Checks that mutants got past: each test here dies with one line of the engine.

// The gates read nothing that has changed but the rules themselves.
func TestI1_AnAllowOfAnotherPolicyIsDecidedAgain(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("note", `(:text "milk")`)
	require.Equal(t, reason.Allow, d.Kind)
	before := b.policies.Current()
	b.policies.Opt.Rules = rulesOf(testRules + `(defskill never :gate ((deny nothing :reason "not any more")))`)
	require.NoError(t, b.Operations().Reload(t.Context()))
	require.NotEqual(t, before.Gates.Hash(), b.policies.Current().Gates.Hash())
	_, err := b.Begin(t.Context(), d)
	refused := (*ledger.NotAllowed)(nil)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "never/nothing", refused.Decision.Key)
	b.intact()
}

// A yes that was in time when it was decided on is too late when the permit is taken.
func TestI2_AYesThatEndsBeforeThePermitIsNone(t *testing.T) {
	b := newBench(t, testRules, "")
	asked := b.decideOn("note", `(:text "secret")`)
	b.clock.Add(int64(24*time.Hour/time.Second) - 2)
	require.NoError(t, b.Approve(t.Context(), asked.Approval, ana))
	d := b.decideOn("note", `(:text "secret")`)
	require.Equal(t, reason.Allow, d.Kind, "in its time")
	b.clock.Add(3)
	_, err := b.Begin(t.Context(), d)
	require.ErrorAs(t, err, new(*ledger.NotAllowed))
	a, err := b.Approvals().Get(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.NotEqual(t, approval.Consumed, a.State)
	b.intact()
}

// Time is over in the very second, by the wall clock and by uptime alone.
func TestPassed_InTheVerySecond(t *testing.T) {
	const lasts = 100 * time.Second
	for _, c := range []struct {
		wall, up time.Duration
		boot     string
		want     bool
	}{
		{lasts - time.Second, lasts - time.Second, "b", false}, {lasts, lasts - 1, "b", true},
		{lasts - 1, lasts - 1, "b", false},
		{lasts - time.Second, lasts, "b", true}, {lasts - time.Second, lasts, "", false}, {lasts, 0, "", true},
	} {
		at, up := start, time.Duration(0)
		k := &clock.Clock{Wall: func() time.Time { return at }, Uptime: func() (string, time.Duration) { return c.boot, up }}
		k.Anchor, k.High = k.Read(), start
		born := k.Birth()
		at, up = start.Add(c.wall), c.up
		assert.Equal(t, c.want, k.Passed(born, start.Add(lasts), lasts), "%+v", c)
	}
}

// Of two allows for the same act, one was begun and nobody knows what came of it. The other read nothing that
// this has changed, and is refused all the same.
func TestI2_AnAllowFromBeforeTheDoubtIsRefused(t *testing.T) {
	b := newBench(t, testRules, "")
	one, two := b.decideOn("note", `(:text "milk")`), b.decideOn("note", `(:text "milk")`)
	p, err := b.Begin(t.Context(), one)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Unknown}))
	_, err = b.Begin(t.Context(), two)
	refused := (*ledger.NotAllowed)(nil)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "in-doubt", refused.Decision.Key)
	b.intact()
}

// People said yes under other rules. A retry under today's needs a yes of its own.
func TestI2_TheUsedApprovalEndsWithItsPolicy(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, "", "", p, func(o *Options) { o.Rules = rulesOf(askRules) })
	out := b.say("pay")
	require.NoError(t, b.Approve(t.Context(), out.Approval, ana))
	require.NoError(t, b.Operations().Wait(t.Context()))
	b.policies.Opt.Rules = rulesOf(askRules + ` (deftool other)`)
	require.NoError(t, b.Operations().Reload(t.Context()))
	_, err := b.Operations().Retry(t.Context(), b.doubt().Intent, ana)
	refused := (*ledger.NotAllowed)(nil)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, reason.Ask, refused.Decision.Kind)
	_, calls := p.did()
	assert.Equal(t, 1, calls)
	b.intact()
}

// What a request has used goes on to count when it goes on after an approval.
func TestW27_ABudgetOutlivesItsConversation(t *testing.T) {
	b := newBench(t, testRules, `
(:form (:tool "note" :args (:text "a secret")))
(:form (:tool "look") :repeat t)`, func(o *Options) { o.Budgets.Turns = 3 })
	out := b.say("keep a secret")
	require.NotEmpty(t, out.Approval)
	require.NoError(t, b.Approve(t.Context(), out.Approval, ana))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 3, b.tool.count(), "the note, and one call for each of the two turns that are left")
	b.intact()
}

// A yes fills slots of the next card under the policy it was given under, and for nobody else's request.
func TestInherit_WithinOnePolicyAndRequester(t *testing.T) {
	k, one, two := sexpr.DigestText("test", "key"), sexpr.DigestText("test", "one"), sexpr.DigestText("test", "two")
	for _, c := range []struct {
		state     approval.State
		policy    sexpr.Digest
		requester string
		want      []string
	}{
		{approval.Approved, one, "agent", []string{"ana"}}, {approval.Approved, two, "agent", nil},
		{approval.Approved, one, "other", nil},
		{approval.Pending, one, "agent", nil},
	} {
		prior := &approval.Approval{State: c.state, Policy: c.policy, Requester: c.requester,
			Slots: []approval.Slot{{Key: k, By: []string{"ana"}}}}
		fresh := &approval.Approval{State: approval.Pending, Policy: one, Requester: "agent",
			Slots: []approval.Slot{{Key: two}, {Key: k}}}
		approval.Inherit(fresh, prior)
		assert.Equal(t, c.want, fresh.Slots[1].By, "%+v", c)
		assert.Empty(t, fresh.Slots[0].By)
	}
}

// An intent takes one receipt that leaves no doubt, also where another permit brings the next.
func TestI1_AnIntentTakesOneReceipt(t *testing.T) {
	b := newBench(t, testRules, "")
	p, err := b.Begin(t.Context(), b.decideOn("send_money", `(:recipient "a" :amount 600)`))
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	for _, s := range []act.State{act.Nothing, act.Unknown, act.Done, act.Failed} {
		require.ErrorIs(t, b.Engine.ledger.CloseIntent(t.Context(), p.Intent(), Receipt{State: s}), ledger.ErrFinished, s)
	}
	assert.Equal(t, reason.Deny, b.decideOn("send_money", `(:recipient "b" :amount 600)`).Kind, "it is spent")
	b.intact()
}

// Where the clock was set a little between decision and permit, the jump is put on record and the decision made
// again, before there is an intent: its time and that of the records go together.
func TestBegin_AJumpOfTheClockIsOnRecordFirst(t *testing.T) {
	b, m := newMachine(t, testRules)
	d := b.decideOn("note", `(:text "milk")`)
	m.set(5 * time.Minute)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	assert.NotEqual(t, d.ID, p.Intent().Decision, "it was decided again")
	assert.Equal(t, 2, b.kinds()["decision"])
	assert.Equal(t, 1, b.kinds()["clock"])
	b.intact()
}

// That a tool is idempotent is looked at in the write, too: rules may change after the engine has looked.
func TestI2_TheEngineTriesNothingAgainThatIsNotIdempotent(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, "", "", p)
	b.say("pay")
	_, err := b.sessions.TryAgain(t.Context(), b.doubt().Intent, ledger.ByEngine)
	require.ErrorIs(t, err, ledger.ErrStale)
	_, calls := p.did()
	assert.Equal(t, 1, calls)
	_, err = b.Operations().Retry(t.Context(), b.doubt().Intent, ana)
	require.NoError(t, err, "a person may")
	b.intact()
}
