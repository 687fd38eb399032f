package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// bank is a tool outside: it counts effects, and honours keys if it is told to.
type bank struct {
	mu      sync.Mutex
	effects int
	calls   int
	seen    map[string]bool
	honours bool
	answers []act.State // what calls say, in order; then done
	hold    chan struct{}
	started chan struct{}
}

func (b *bank) Act(ctx context.Context, c act.Call) (act.Receipt, error) {
	b.mu.Lock()
	hold := b.hold
	if !b.honours || !b.seen[c.Key] {
		b.effects++
	}
	b.seen[c.Key] = true
	say := act.Done
	if b.calls < len(b.answers) {
		say = b.answers[b.calls]
	}
	b.calls++
	b.mu.Unlock()
	if hold != nil {
		b.started <- struct{}{}
		<-hold
	}
	return act.Receipt{State: say, Text: "paid"}, nil
}

func (b *bank) did() (effects, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.effects, b.calls
}

// asked is a bank that can be asked.
type asked struct {
	*bank
	probe func(ctx context.Context, c act.Call) (act.Receipt, error)
}

func (a asked) Probe(ctx context.Context, c act.Call) (act.Receipt, error) { return a.probe(ctx, c) }

const payRules = `(defaults :unknown-tool :ask)
(deftool pay :doc "Pay." :params (:amount (number 0 1000)) :required (:amount) :tier :allow :effect :external %s :spends (:money :amount))
(definvariant small :when (= action.tool "pay") :holds (<= (+ action.args.amount (spent :money :day)) 1000) :reason "too much")
%s`

const payScript = `(:form (:type :request :target :tool :payload (:tool "pay" :args (:amount 500)))) (:repeat t :reply "ok")`

// newBank is an engine whose model pays once, with a bank that says what answers
// hold.
func newBank(t *testing.T, flags, more string, a act.Actuator, change ...func(*Options)) *bench {
	dir := t.TempDir()
	b := newBench(t, fmt.Sprintf(payRules, flags, more), payScript, append([]func(*Options){func(o *Options) {
		o.Dir = dir
		o.Tools = append(o.Tools, act.Tool{Schema: &skills.Tool{Name: "pay"}, Actuator: a})
	}}, change...)...)
	// opening looks for doubts in the background; those of the test are not its own
	require.NoError(t, b.Operations().Wait(t.Context()))
	return b
}

func newBankAct(answers ...act.State) *bank {
	return &bank{seen: map[string]bool{}, answers: answers}
}

func (b *bench) doubt() ledger.Doubt {
	b.t.Helper()
	doubts, err := b.Operations().Doubts(b.t.Context())
	require.NoError(b.t, err)
	require.Len(b.t, doubts, 1)
	return doubts[0]
}

func (b *bench) noDoubt() {
	b.t.Helper()
	doubts, err := b.Operations().Doubts(b.t.Context())
	require.NoError(b.t, err)
	assert.Empty(b.t, doubts)
}

func (b *bench) maintain() {
	b.t.Helper()
	require.NoError(b.t, b.Operations().Maintain(b.t.Context()))
	require.NoError(b.t, b.Operations().Wait(b.t.Context()))
}

func (b *bench) rules(text string) {
	b.t.Helper()
	b.opt.Rules.(fstest.MapFS)["rules.lisp"].Data = []byte(text)
	require.NoError(b.t, b.Operations().Reload(b.t.Context()))
}

func TestI2_AnIdempotentToolIsTriedAgainUnderTheSameKey(t *testing.T) {
	p := newBankAct(act.Unknown)
	p.honours = true
	b := newBank(t, ":idempotent t", "", p)
	b.say("pay")
	require.Equal(t, reason.KeyInDoubt, b.decideOn("pay", `(:amount 500)`).Key, "a repeat is refused meanwhile")
	b.maintain()
	effects, calls := p.did()
	assert.Equal(t, 1, effects)
	assert.Equal(t, 2, calls)
	assert.Len(t, p.seen, 1, "one key")
	b.noDoubt()
	assert.Equal(t, reason.Deny, b.decideOn("pay", `(:amount 501)`).Kind, "the budget is spent, once")
	assert.Equal(t, reason.Allow, b.decideOn("pay", `(:amount 499)`).Kind)
	b.intact()
}

func TestI2_WhatIsNotDeclaredIdempotentIsLeftToPeople(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, "", "", p)
	b.say("pay")
	for range 3 {
		b.maintain()
		b.reopen()
		require.NoError(t, b.Operations().Wait(t.Context()))
	}
	effects, calls := p.did()
	assert.Equal(t, 1, effects)
	assert.Equal(t, 1, calls)
	assert.Zero(t, b.doubt().Tries)
	b.intact()
}

func TestTriesOfTheEngineAreBounded(t *testing.T) {
	p := newBankAct(act.Unknown, act.Unknown, act.Unknown, act.Unknown, act.Unknown, act.Unknown, act.Unknown)
	p.honours = true
	b := newBank(t, ":idempotent t", "", p)
	b.say("pay")
	for range 6 {
		b.maintain()
	}
	_, calls := p.did()
	assert.Equal(t, 1+ledger.MaxTries, calls)
	rc, err := b.Operations().Retry(t.Context(), b.doubt().Intent, ana)
	require.NoError(t, err, "a person may go on")
	assert.Equal(t, act.Unknown, rc.State)
	b.intact()
}

func TestProbe(t *testing.T) {
	for name, c := range map[string]struct {
		probe   func(ctx context.Context, c act.Call) (act.Receipt, error)
		settled bool
		spent   bool
	}{
		"yes": {func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Done}, nil
		}, true, true},
		"no": {func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Nothing}, nil
		}, true, false},
		"unknown": {func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Unknown}, nil
		}, false, true},
		"silent": {func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{}, nil }, false, true},
		"error": {func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Nothing}, errors.New("no line")
		}, false, true},
		"panic": {func(context.Context, act.Call) (act.Receipt, error) { panic("oh") }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newBankAct(act.Unknown)
			b := newBank(t, "", "", asked{p, c.probe})
			b.say("pay")
			b.maintain()
			_, calls := p.did()
			assert.Equal(t, 1, calls, "asking is not trying")
			if c.settled {
				b.noDoubt()
			} else {
				assert.Equal(t, reason.KeyInDoubt, b.decideOn("pay", `(:amount 500)`).Key)
			}
			assert.Equal(t, map[bool]reason.Kind{true: reason.Deny, false: reason.Allow}[c.spent],
				b.decideOn("pay", `(:amount 601)`).Kind)
			b.intact()
		})
	}
}

func TestI2_RetryPressedTwiceByTwoPeople(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		p := newBankAct(act.Unknown)
		b := newBank(t, "", "", p)
		b.say("pay")
		intent := b.doubt().Intent
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, who := range []approval.Approver{ana, ben} {
			wg.Go(func() { _, errs[i] = b.Operations().Retry(context.Background(), intent, who) })
		}
		wg.Wait()
		_, calls := p.did()
		assert.Equal(t, 2, calls, "the first try and one more: %v", errs)
		assert.True(t, (errs[0] == nil) != (errs[1] == nil), "%v", errs)
		b.noDoubt()
		b.intact()
	}
}

func TestI1_NoRetryAfterTheKillSwitch(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, ":idempotent t", "", p)
	b.say("pay")
	require.NoError(t, b.Operations().KillSwitch(t.Context(), true, ana))
	b.maintain()
	_, err := b.Operations().Retry(t.Context(), b.doubt().Intent, ana)
	assert.Error(t, err)
	_, calls := p.did()
	assert.Equal(t, 1, calls)
	require.NoError(t, b.Operations().KillSwitch(t.Context(), false, ana))
	b.maintain()
	_, calls = p.did()
	assert.Equal(t, 2, calls)
	b.noDoubt()
	b.intact()
}

func TestI1_NoRetryAgainstTodaysRules(t *testing.T) {
	for name, more := range map[string]string{
		"denied":    `(defskill stop :gate ((deny closed :when t :reason "closed")))`,
		"asks":      `(defskill stop :gate ((ask who :when t :reason "who says so?")))`,
		"rewritten": `(defskill stop :gate ((rewrite less :when (> action.args.amount 5) :set (:amount 5) :reason "less")))`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newBankAct(act.Unknown)
			b := newBank(t, ":idempotent t", "", p)
			b.say("pay")
			b.rules(fmt.Sprintf(payRules, ":idempotent t", more))
			b.maintain()
			_, err := b.Operations().Retry(t.Context(), b.doubt().Intent, ana)
			assert.ErrorAs(t, err, new(*ledger.NotAllowed))
			_, calls := p.did()
			assert.Equal(t, 1, calls)
			assert.Empty(t, b.pending(), "nobody is asked about a retry")
			b.intact()
		})
	}
}

// Whether a tool is idempotent is what rules say today.
func TestI1_IdempotentIsWhatRulesSayToday(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, ":idempotent t", "", p)
	b.say("pay")
	b.rules(fmt.Sprintf(payRules, "", ""))
	b.maintain()
	_, calls := p.did()
	assert.Equal(t, 1, calls)
	assert.Zero(t, b.doubt().Tries)
}

const askRules = `(defaults :unknown-tool :ask)
(deftool pay :params (:amount (number 0 1000)) :required (:amount) :tier :ask :effect :external :idempotent t)`

// The approval that an intent has used goes on to hold for it, and for nothing
// else, and not for longer than it would have.
func TestI2_TheUsedApprovalHoldsForItsIntentAlone(t *testing.T) {
	for name, c := range map[string]struct {
		later time.Duration
		calls int
	}{"in its time": {time.Hour, 2}, "too late": {25 * time.Hour, 1}} {
		t.Run(name, func(t *testing.T) {
			p := newBankAct(act.Unknown)
			b := newBank(t, "", "", p, func(o *Options) { o.Rules = rulesOf(askRules) })
			out := b.say("pay")
			require.NoError(t, b.Approve(t.Context(), out.Approval, ana))
			require.NoError(t, b.Operations().Wait(t.Context()))
			_, calls := p.did()
			require.Equal(t, 1, calls)
			b.clock.Add(int64(c.later / time.Second))
			b.maintain()
			_, calls = p.did()
			assert.Equal(t, c.calls, calls)
			other, err := b.Decide(t.Context(), action(t, "pay", `(:amount 500)`), asking("s2", "agent"))
			require.NoError(t, err)
			assert.Equal(t, reason.Ask, other.Kind)
			a, err := b.Approvals().Get(t.Context(), out.Approval)
			require.NoError(t, err)
			assert.Equal(t, approval.Consumed, a.State)
			b.intact()
		})
	}
}

// The decision that a retry was made with gives no right to act by itself.
func TestI1_TheDecisionOfARetryIsGoodForNothingElse(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, ":idempotent t", "", p)
	b.say("pay")
	b.maintain()
	var tried int
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind != record.KindDecision || r.Body.GetInt("retry") == 0 {
			return nil
		}
		tried++
		d, err := record.DecisionFrom(r)
		require.NoError(t, err)
		require.Equal(t, reason.Allow, d.Kind)
		_, err = b.Begin(t.Context(), d)
		assert.ErrorIs(t, err, ledger.ErrUsed)
		return nil
	}))
	assert.Equal(t, 1, tried)
}

// While a call has not come back, nothing starts a second one beside it; and what
// it says when it comes back settles the intent.
func TestI2_NoTryBesideACallThatHasNotComeBack(t *testing.T) {
	p := newBankAct(act.Done)
	p.hold, p.started = make(chan struct{}), make(chan struct{})
	b := newBank(t, ":idempotent t", "", p)
	b.dispatcher.Grace = time.Nanosecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.Submit(ctx, Signal{Text: "pay", Session: "s1", Principal: "agent"})
		done <- err
	}()
	<-p.started
	cancel()
	require.Error(t, <-done)
	b.clock.Add(int64(ledger.PermitTime/time.Second) + 1)
	intent := b.doubt().Intent
	b.maintain()
	_, err := b.Operations().Retry(t.Context(), intent, ana)
	assert.ErrorIs(t, err, act.ErrBusy)
	_, calls := p.did()
	assert.Equal(t, 1, calls)
	close(p.hold)
	require.NoError(t, b.Close())
	p.hold = nil
	b.Engine = nil
	b.reopen()
	b.noDoubt()
	b.intact()
}

func TestOnlyAnOperatorRetriesAndOnlyWhatTheEngineRuns(t *testing.T) {
	p := newBankAct(act.Unknown)
	b := newBank(t, "", "", p)
	b.say("pay")
	for _, who := range []approval.Approver{{}, {Name: "agent"}, {Name: "cho"}} {
		_, err := b.Operations().Retry(t.Context(), b.doubt().Intent, who)
		assert.ErrorIs(t, err, approval.ErrNotApprover)
	}
	d, err := b.Decide(t.Context(), action(t, "pay", `(:amount 1)`), asking("s2", "agent"))
	require.NoError(t, err)
	permit, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, permit.Finish(t.Context(), Receipt{State: act.Unknown}))
	_, err = b.Operations().Retry(t.Context(), permit.ID(), ana)
	assert.ErrorIs(t, err, ledger.ErrElsewhere)
	_, calls := p.did()
	assert.Equal(t, 1, calls)
}

// What an earlier try has to say counts only if it happened.
func TestI2_NewsOfAnEarlierTry(t *testing.T) {
	p := newBankAct(act.Unknown, act.Unknown)
	b := newBank(t, "", "", p)
	b.say("pay")
	x := b.doubt()
	_, err := b.Operations().Retry(t.Context(), x.Intent, ana)
	require.NoError(t, err)
	first := act.Intent{ID: x.Intent, Action: x.Action, Session: "s1"}
	assert.ErrorIs(t, b.Engine.ledger.CloseIntent(t.Context(), first, Receipt{State: act.Nothing}), ledger.ErrOldTry)
	assert.ErrorIs(t, b.Engine.ledger.CloseIntent(t.Context(), first, Receipt{State: act.Unknown}), ledger.ErrOldTry)
	require.NoError(t, b.Engine.ledger.CloseIntent(t.Context(), first, Receipt{State: act.Done}))
	b.noDoubt()
	assert.ErrorIs(t, b.Engine.ledger.CloseIntent(t.Context(), first, Receipt{State: act.Done}), ledger.ErrFinished)
	b.intact()
}

// A conversation that a crash cut off in the middle of an effect goes on once it
// is known what came of it.
func TestTakeUpGoesOnAfterARetry(t *testing.T) {
	dir := t.TempDir()
	p := newBankAct()
	p.honours = true
	opt, b := options(t, fmt.Sprintf(payRules, ":idempotent t", ""), `(:repeat t :reply "ok")`)
	opt.Dir = dir
	opt.Tools = append(opt.Tools, act.Tool{Schema: &skills.Tool{Name: "pay"}, Actuator: p})
	b.opt = opt
	b.reopen()
	a, err := b.Accept(t.Context(), Signal{Text: "pay", Session: "s1", Principal: "agent"})
	require.NoError(t, err)
	sig := Signal{Text: "pay", Session: "s1", Principal: "agent", Root: a.Signal}
	d, err := b.ledger.DecideOn(t.Context(), ledger.Question{Action: action(t, "pay", `(:amount 500)`),
		Facts: b.sessions.FactsOf(session.WithSignalDefaults(sig)), Cause: ledger.Answering{Root: a.Signal},
		Attempt: ledger.First{}, Requester: "agent"})
	require.NoError(t, err)
	_, err = b.Begin(t.Context(), d)
	require.NoError(t, err)
	b.reopen() // in the middle of the effect
	require.NoError(t, b.Operations().Wait(t.Context()))
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	effects, calls := p.did()
	assert.Equal(t, 1, effects)
	assert.Equal(t, 1, calls, "the first try did not reach the bank; the second did")
	out, err := b.sessions.FirstAnswer(a.Signal)
	require.NoError(t, err)
	assert.NotContains(t, out.Notice, "nobody knows")
	b.noDoubt()
	b.intact()
}

// unreadable is a store that does not give back one key.
type unreadable struct {
	journal.Store
	key *atomic.Pointer[[]byte]
}

func (u unreadable) Get(key []byte) ([]byte, error) {
	if k := u.key.Load(); k != nil && bytes.Equal(*k, key) {
		return nil, syscall.EIO
	}
	return u.Store.Get(key)
}

// A doubt that cannot be cleared, here because the disk does not give back what it
// rests on, keeps no other one from being cleared.
func TestADoubtThatCannotBeClearedKeepsNoOtherWaiting(t *testing.T) {
	var gone atomic.Pointer[[]byte]
	p := newBankAct(act.Unknown, act.Unknown)
	pay, _, _ := strings.Cut(payScript, " (:repeat")
	b := newBench(t, fmt.Sprintf(payRules, ":idempotent t", ""), pay+` (:reply "ok") `+payScript, func(o *Options) {
		o.Tools = append(o.Tools, act.Tool{Schema: &skills.Tool{Name: "pay"}, Actuator: p})
		o.hooks.Wrap = func(s journal.Store) journal.Store { return unreadable{s, &gone} }
	})
	require.NoError(t, b.Operations().Wait(t.Context())) // for the look at doubts that comes with opening
	for _, who := range []string{"one", "two"} {
		_, err := b.Submit(t.Context(), Signal{Text: "pay", Session: who, Principal: who})
		require.NoError(t, err)
	}
	doubts, err := b.Operations().Doubts(t.Context())
	require.NoError(t, err)
	require.Len(t, doubts, 2)
	rec, err := b.j.Read(doubts[0].Intent)
	require.NoError(t, err)
	k := append([]byte{'e'}, record.Number(uint64(rec.Body.GetInt("decision")))...)
	gone.Store(&k)
	b.maintain()
	assert.Equal(t, doubts[0].Intent, b.doubt().Intent)
	gone.Store(nil)
	b.maintain()
	b.noDoubt()
}
