package engine

// One test for each bug of this package that escaped a commit; docs/proof/track-record.md
// says who would have felt it.

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestObservingConsumesNoGrant(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = dir })
	asked := b.decideOn("note", `(:text "secret")`)
	require.NoError(t, b.Approve(t.Context(), asked.Approval, ana))
	b.opt.Live, b.opt.Observe = false, true
	b.reopen()
	_, err := b.Begin(t.Context(), b.decideOn("note", `(:text "secret")`))
	require.NoError(t, err)
	a, err := b.Approvals().Get(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Approved, a.State)
}

func TestRepeatsAtOnceAllGetTheFirstAnswer(t *testing.T) {
	b := newBench(t, testRules, `(:reply "hi")`)
	sig := Signal{Text: "hi", Session: "s1", Principal: "agent", Key: "k1"}
	first, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			out, err := b.Submit(context.Background(), sig)
			if assert.NoError(t, err) && assert.NotNil(t, out) {
				assert.Equal(t, first.Text, out.Text)
			}
		})
	}
	wg.Wait()
}

func TestADeniedReplyAsksNobodyElse(t *testing.T) {
	b := newBench(t, `(defaults :unknown-tool :ask)
(defskill out :priority 1 :trigger (= action.tool "reply") :gate ((ask careful :reason "replies are looked at")))`,
		`(:reply "hello") (:repeat t :reply "a model that should not have been asked")`)
	out := b.say("hi")
	require.NoError(t, b.Deny(t.Context(), out.Approval, ana, "no"))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.kinds()["signal"])
	assert.Equal(t, 1, b.kinds()["decision"])
}

func TestPeopleAreAskedThreeTimesInARow(t *testing.T) {
	b := newBench(t, testRules, "")
	for range ledger.MaxCards {
		d := b.decideOn("note", `(:text "secret")`)
		require.Equal(t, reason.Ask, d.Kind)
		require.NoError(t, b.Deny(t.Context(), d.Approval, ana, "no"))
	}
	over := b.decideOn("note", `(:text "secret")`)
	assert.Equal(t, reason.Deny, over.Kind)
	assert.Equal(t, ledger.KeyCards, over.Key)
	assert.False(t, over.Retry)
	assert.Equal(t, reason.Ask, b.decideOn("note", `(:text "other secret")`).Kind)
	b.intact()
}

func TestAnApprovalThatIsUsedStartsTheCountAnew(t *testing.T) {
	b := newBench(t, testRules, "")
	for range 2 * ledger.MaxCards {
		d := b.decideOn("note", `(:text "secret")`)
		require.Equal(t, reason.Ask, d.Kind)
		require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
		p, err := b.Begin(t.Context(), d)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	}
	b.intact()
}

func TestARepeatOfADroppedSignalIsAnswered(t *testing.T) {
	b := newBench(t, testRules, `(:repeat t :reply "hi")`)
	sig := Signal{Text: "hi", Session: "s1", Principal: "agent", Key: "k1", Depth: 11}
	for range 2 {
		_, err := b.Submit(t.Context(), sig)
		assert.NoError(t, err)
	}
}

func TestTwoRequestersInOneSessionHaveTheirOwnCards(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("note", `(:text "secret")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	other, err := b.Decide(t.Context(), d.Action, asking("s1", "other"))
	require.NoError(t, err)
	assert.Equal(t, reason.Ask, other.Kind)
	assert.Equal(t, reason.Allow, b.decideOn("note", `(:text "secret")`).Kind, "the grant is still there")
	b.intact()
}

func TestWhoSetTheTaskMayApproveIt(t *testing.T) {
	b := newBench(t, testRules, `(:form (:tool "note" :args (:text "secret"))) (:repeat t :reply "kept")`)
	out, err := b.Submit(t.Context(), Signal{Text: "keep a secret", Session: "s1", Principal: "ana"})
	require.NoError(t, err)
	yes, err := b.Submit(t.Context(), Signal{Text: "/approve " + out.Approval, Session: "s1", Principal: "ana"})
	require.NoError(t, err)
	assert.Contains(t, yes.Notice, "approved")
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.tool.count())
	b.intact()
}

func TestNamesCannotReachIntoOtherIndexes(t *testing.T) {
	b := newBench(t, testRules, "")
	for _, name := range []string{"s1\x00x", "\xff", strings.Repeat("x", record.MaxName+1)} {
		_, err := b.Decide(t.Context(), action(t, "note", `(:text "x")`), asking(name, "agent"))
		assert.Error(t, err)
		_, err = b.Submit(t.Context(), Signal{Text: "hi", Session: name})
		assert.Error(t, err)
		_, err = b.Submit(t.Context(), Signal{Text: "hi", Key: name})
		assert.Error(t, err)
	}
	assert.Equal(t, reason.Allow, b.decideOn("note", `(:text "x")`).Kind)
}

func TestAnExpiredGrantFillsNoSlots(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("note", `(:text "secret")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	b.clock.Add(int64(25 * time.Hour / time.Second))
	again := b.decideOn("note", `(:text "secret")`)
	a, err := b.Approvals().Get(t.Context(), again.Approval)
	require.NoError(t, err)
	assert.Empty(t, a.Slots[0].By)
	require.NoError(t, b.Approve(t.Context(), again.Approval, ben))
	old, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	assert.Equal(t, approval.Expired, old.State)
}

func TestProtectedPathsAreTakenAsTheHostMeansThem(t *testing.T) {
	b := newBench(t,
		`(defaults :unknown-tool :ask) (deftool write :params (:path path) :tier :allow)`, "", func(o *Options) {
			o.Protected = reason.Places{Paths: []string{"/etc/cortex/", "/opt/x/../rules"}}
		})
	for _, p := range []string{"/etc/cortex/x", "/etc/cortex", "/opt/rules/a.lisp"} {
		assert.Equal(t, reason.KeyProtection, b.decideOn("write", `(:path "`+p+`")`).Key, p)
	}
}

func TestAReloadThatAllowsGoesOn(t *testing.T) {
	fs := fstest.MapFS{"r.lisp": {Data: []byte(`(deftool note :params (:text string) :tier :ask)`)}}
	b := newBench(t, testRules,
		`(:form (:tool "note" :args (:text "x"))) (:repeat t :reply "ok")`, func(o *Options) { o.Rules = fs })
	out := b.say("hi")
	require.NotEmpty(t, out.Approval)
	fs["r.lisp"] = &fstest.MapFile{Data: []byte(`(deftool note :params (:text string) :tier :allow)`)}
	require.NoError(t, b.Operations().Reload(t.Context()))
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, b.tool.count())
	b.intact()
}

func TestOnlyDoubtIsSettledByPeople(t *testing.T) {
	b := newBench(t, testRules, "")
	p, err := b.Begin(t.Context(), b.decideOn("send_money", `(:recipient "a" :amount 600)`))
	require.NoError(t, err)
	assert.ErrorIs(t, b.Operations().Settle(t.Context(), p.ID(), false, ana), ledger.ErrNoDoubt)
	assert.Equal(t, reason.Deny, b.decideOn("send_money", `(:recipient "b" :amount 600)`).Kind, "the money is on its way")
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
}

func TestASignalThatWaitedSeesWhatCameBefore(t *testing.T) {
	b := newBench(t, testRules, `(:when ("first") :form (:tool "note" :args (:text "milk")))
(:when ("RESULT") :reply "did it")
(:when ("second") :expect ("RESULT") :reply "saw it")`)
	b.tool.hold = make(chan struct{})
	say := func(text string, answer chan<- *session.Outcome) {
		out, err := b.Submit(t.Context(), Signal{Text: text, Session: "s1", Principal: "agent"})
		assert.NoError(t, err)
		answer <- out
	}
	first, second := make(chan *session.Outcome), make(chan *session.Outcome)
	events := b.follow(t.Context())
	go say("first", first)
	for r, err := range events { // until the tool is about to run
		require.NoError(t, err)
		if r.Kind == record.KindIntent {
			break
		}
	}
	events = b.follow(t.Context())
	go say("second", second)
	for r, err := range events { // until the second signal is on record
		require.NoError(t, err)
		if r.Kind == record.KindSignal {
			break
		}
	}
	close(b.tool.hold)
	assert.Equal(t, "did it", (<-first).Text)
	assert.Equal(t, "saw it", (<-second).Text)
	b.intact()
}

// A decision is not made under a change that keeps coming: after three tries it
// is a denial on record, which the model may retry.
func TestWhatKeepsChangingIsDenied(t *testing.T) {
	b := newBench(t, testRules, "")
	q := ledger.Question{Cause: ledger.Called{}, Attempt: ledger.First{}, Action: action(t, "note", `(:text "x")`),
		Facts: *asking("s1", "agent"), Requester: "agent"}
	err := b.ledger.GiveUp(t.Context(), q)
	var refused *ledger.NotAllowed
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, ledger.KeyStale, refused.Decision.Key)
	assert.True(t, refused.Decision.Retry)
	assert.NotZero(t, refused.Decision.ID)
	b.intact()
}

func TestWithoutProtectedPlacesNothingIsUnresolved(t *testing.T) {
	b := newBench(t, `(defaults :unknown-tool :ask) (deftool run :params (:cmd command) :tier :allow)`, "")
	assert.Equal(t, reason.Allow, b.decideOn("run", sexpr.Plist("cmd", sexpr.Str("echo $X")).String()).Kind)
}

// A decision that could not be made while things held still is recorded all the
// same; its own record does not make up for what it did not see.
func TestADecisionThatWasStaleWhenRecordedIsDecidedAgain(t *testing.T) {
	var b *bench
	asked := 0
	b = newBench(t, testRules+`
(deftool open :params (:path path) :tier :allow)
(defskill once :trigger (= action.tool "open")
  :gate ((deny after-a-look :when (some (calls "look") (= it.decision "allow")) :reason "not after a look")
         (deny elsewhere :when (some (paths action) (= it "/elsewhere")) :reason "not there")))`,
		"", func(o *Options) {
			o.Lookup = func(_, path string) (string, error) { // while each try is made, something happens in its session
				switch asked++; {
				case asked < ledger.MaxRedo:
					b.decideOn("note", `(:text "x")`)
				case asked == ledger.MaxRedo:
					b.decideOn("look", `(:text "x")`)
				}
				return path, nil
			}
		})
	d := b.decideOn("open", `(:path "/tmp/x")`)
	require.Equal(t, reason.Allow, d.Kind, "the last try saw no look")
	_, err := b.Begin(t.Context(), d)
	var refused *ledger.NotAllowed
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "once/after-a-look", refused.Decision.Key)
	b.intact()
}

// A budget over a session is everybody's who acts in it, as two people in one
// chat do; one over a day is each principal's own.
func TestABudgetOfASessionIsSharedByAllInIt(t *testing.T) {
	for _, tt := range []struct {
		period string
		want   reason.Kind
	}{{":session", reason.Deny}, {":day", reason.Allow}} {
		b := newBench(t, strings.Replace(testRules, "(spent :money :day)", "(spent :money "+tt.period+")", 1), "")
		pay := func(who string) *Decision {
			d, err := b.Decide(t.Context(), action(t, "send_money", `(:recipient "x" :amount 600)`), asking("s1", who))
			require.NoError(t, err)
			return d
		}
		both := []*Decision{pay("ana"), pay("ben")}
		first, err := b.Begin(t.Context(), both[0])
		require.NoError(t, err)
		_, err = b.Begin(t.Context(), both[1]) // decided before the first was begun
		assert.Equal(t, tt.want == reason.Allow, err == nil, tt.period)
		if tt.want == reason.Deny {
			assert.Equal(t, tt.want, pay("ben").Kind, tt.period)
			require.NoError(t, first.Finish(t.Context(), Receipt{State: act.Nothing}))
			assert.Equal(t, reason.Allow, pay("ben").Kind, "what did not happen spends nothing")
		}
		b.intact()
	}
}

// A decision that has become old is decided again when its permit is taken, and
// is used up all the same: it gives one permit.
func TestI2_ADecisionGivesOnePermitHoweverLate(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("note", `(:text "once")`)
	b.clock.Add(3600)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	_, err = b.Begin(t.Context(), d)
	require.ErrorIs(t, err, ledger.ErrUsed)
	assert.Equal(t, 1, b.kinds()["intent"])
	b.intact()
}

// Taking a card back twice leaves one record of it.
func TestWithdrawingTwiceIsRefused(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("risky", `(:what "x")`)
	require.NoError(t, b.Withdraw(t.Context(), d.Approval, "agent"))
	require.ErrorAs(t, b.Withdraw(t.Context(), d.Approval, "agent"), new(*approval.StateError))
	assert.Equal(t, 2, b.kinds()["approval"])
}

// Anyone who waits for the answer that somebody else was to give waits no longer than
// there is an engine.
func TestRepeatsEndWithTheEngine(t *testing.T) {
	b := newBench(t, testRules, "")
	sig := Signal{Text: "hi", Key: "k", Session: "s1", Principal: "ann"}
	_, err := b.Accept(t.Context(), sig) // and goes away without answering
	require.NoError(t, err)
	again, err := b.Accept(t.Context(), sig)
	require.NoError(t, err)
	require.True(t, again.Repeat)
	got := make(chan error)
	go func() {
		_, err := again.Answer(context.Background())
		got <- err
	}()
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-got, ledger.ErrClosed)
}
