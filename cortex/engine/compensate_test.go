package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// pay carries a payment out and returns its intent.
func (b *bench) pay(amount int64, came act.State) uint64 {
	b.t.Helper()
	d, err := b.Decide(b.t.Context(), payment(b.t, "bob", amount), shop)
	require.NoError(b.t, err)
	p, err := b.Begin(b.t.Context(), d)
	require.NoError(b.t, err)
	if came != "" {
		require.NoError(b.t, p.Finish(b.t.Context(), Receipt{State: came}))
	}
	return p.ID()
}

var shop = &Facts{Session: skills.Session{ID: "shop", Principal: "ann"}}

func payment(t testing.TB, to string, amount int64) *Action {
	a, err := NewAction("send_money", sexpr.Plist("recipient", sexpr.Str(to), "amount", sexpr.Int64(amount)), "")
	require.NoError(t, err)
	return a
}

func sorry(t testing.TB, what string) *Action {
	a, err := NewAction("note", sexpr.Plist("text", sexpr.Str(what)), "")
	require.NoError(t, err)
	return a
}

// A compensation is an action as any other, and the record says what it is for.
func TestCompensate(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	n := b.pay(5, act.Done)
	d, err := b.Compensations().Decide(t.Context(), n, sorry(t, strings.Repeat("sorry ", 20)), nil)
	require.NoError(t, err)
	require.Equal(t, reason.Allow, d.Kind)
	assert.Contains(t, d.Action.Canonical(), "(too long)", "it goes through the gates")
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	assert.NotEqual(t, n, p.ID())
	assert.Equal(t, "shop", p.Intent().Session, "the session of the intent it is for")
	rec, err := b.Journal().Read(p.ID())
	require.NoError(t, err)
	assert.EqualValues(t, n, rec.Body.GetInt("compensates"))
	x, err := b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	assert.Equal(t, n, x.Compensates)
	assert.Equal(t, p.ID(), x.Intent)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))

	d, err = b.Compensations().Decide(t.Context(), n, sorry(t, "rude words"), nil)
	assert.Nil(t, d)
	assertStands(t, err, n, p.ID(), ledger.CompensationDone)

	m := b.pay(6, act.Failed)
	d, err = b.Compensations().Decide(t.Context(), m, sorry(t, "rude words"), nil)
	require.NoError(t, err, "what failed may have happened in part")
	_, err = b.Begin(t.Context(), d)
	var refused *ledger.NotAllowed
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "words/rude", refused.Decision.Key)
	d, err = b.Compensations().Decide(t.Context(), m, sorry(t, "sorry"), nil)
	require.NoError(t, err, "a refusal is no compensation")
	assert.Equal(t, reason.Allow, d.Kind)

	b.reopen()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
	assert.Equal(t, 5, got.Decisions)
}

// assertStands checks that an error says what makes up for an intent.
func assertStands(t testing.TB, err error, intent, by uint64, state ledger.CompensationState) {
	t.Helper()
	var already *ledger.CompensationError
	if assert.ErrorAs(t, err, &already) {
		assert.Equal(t, intent, already.Intent)
		assert.Equal(t, by, already.By)
		assert.Equal(t, state, already.State)
		assert.NotNil(t, already.Action)
	}
}

// What there is nothing to make up for, or not yet.
func TestCompensate_Nothing(t *testing.T) {
	b := newBench(t, testRules, "")
	done := b.pay(1, act.Done)
	decision, err := b.Journal().Read(done)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		intent uint64
		want   error
	}{
		"no such record":      {1 << 40, ledger.ErrNoIntent},
		"zero":                {0, ledger.ErrNoIntent},
		"a decision":          {uint64(decision.Body.GetInt("decision")), ledger.ErrNoIntent},
		"nothing happened":    {b.pay(2, act.Nothing), ledger.ErrNothing},
		"being carried out":   {b.pay(3, ""), ledger.ErrUnsettled},
		"nobody knows":        {b.pay(4, act.Unknown), ledger.ErrUnsettled},
		"done: nothing wrong": {done, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Compensations().Decide(t.Context(), c.intent, sorry(t, "sorry"), nil)
			require.ErrorIs(t, err, c.want)
		})
	}
	_, err = b.Compensations().Decide(t.Context(), done, nil, nil)
	require.Error(t, err)
	_, err = b.Compensations().Decide(t.Context(), done, sorry(t, "sorry"), &Facts{Session: skills.Session{ID: "a\x00b"}})
	require.Error(t, err)

	dry := newBench(t, testRules, "", func(o *Options) { o.Live, o.Dry = false, true })
	n := dry.pay(1, act.Nothing)
	_, err = dry.Compensations().Decide(t.Context(), n, sorry(t, "sorry"), nil)
	require.ErrorIs(t, err, ledger.ErrNothing, "a dry run did nothing")
}

// One that is under way, in doubt or failed keeps others out; one that did nothing
// does not. A person settles it, also over restarts.
func TestCompensate_Stands(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	n := b.pay(5, act.Done)
	begin := func(what string) *Permit {
		t.Helper()
		d, err := b.Compensations().Decide(t.Context(), n, sorry(t, what), nil)
		require.NoError(t, err)
		p, err := b.Begin(t.Context(), d)
		require.NoError(t, err)
		return p
	}
	stands := func(by uint64, state ledger.CompensationState) {
		t.Helper()
		_, err := b.Compensations().Decide(t.Context(), n, sorry(t, "another"), nil)
		assertStands(t, err, n, by, state)
	}
	p := begin("one")
	stands(p.ID(), ledger.CompensationRunning)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Nothing}))
	p = begin("two")
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Unknown}))
	stands(p.ID(), ledger.CompensationInDoubt)
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), false, ana))
	look, err := NewAction("look", sexpr.Plist("text", sexpr.Str("at it")), "")
	require.NoError(t, err)
	d, err := b.Compensations().Decide(t.Context(), n, look, nil)
	require.NoError(t, err)
	p, err = b.Begin(t.Context(), d)
	require.NoError(t, err)
	stands(p.ID(), ledger.CompensationRunning)
	b.reopen()
	stands(p.ID(), ledger.CompensationInDoubt) // though its tool is declared to do nothing: the other intent waits for it
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), false, ana))
	p = begin("three")
	b.reopen()
	stands(p.ID(), ledger.CompensationInDoubt)
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), false, ana))

	p = begin("four")
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Failed, Error: "no paper"}))
	stands(p.ID(), ledger.CompensationFailed)
	b.reopen()
	stands(p.ID(), ledger.CompensationFailed)
	failed, err := b.Compensations().Failed(t.Context())
	require.NoError(t, err)
	require.Len(t, failed, 1)
	assert.Equal(t, n, failed[0].Intent)
	assert.Equal(t, p.ID(), failed[0].By)
	st, err := b.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, st.Failed)
	require.ErrorIs(t, b.Operations().Settle(t.Context(), p.ID(), false, approval.Approver{Name: "mallory"}),
		approval.ErrNotApprover)
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), false, ana))
	require.ErrorIs(t, b.Operations().Settle(t.Context(), p.ID(), true, ana), ledger.ErrNoDoubt, "it is settled once")

	p = begin("five")
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Failed}))
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), true, ana))
	stands(p.ID(), ledger.CompensationDone)
	failed, err = b.Compensations().Failed(t.Context())
	require.NoError(t, err)
	assert.Empty(t, failed)
	st, err = b.Status(t.Context())
	require.NoError(t, err)
	assert.Zero(t, st.Failed)
	last, err := b.Journal().Read(b.Journal().Last())
	require.NoError(t, err)
	assert.Equal(t, record.KindSettled, last.Kind)
	assert.Equal(t, "ana", last.Body.GetText("by"))

	_, err = b.Compensations().Decide(t.Context(), p.ID(), sorry(t, "six"), nil)
	require.NoError(t, err, "a compensation is an effect, too")
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
	require.NoError(t, b.Journal().Verify(t.Context()))
}

// An ask waits for people like any other, once approved the same call allows, and
// a yes serves one compensation.
func TestCompensate_Asks(t *testing.T) {
	b := newBench(t, testRules, "")
	n, m := b.pay(5, act.Done), b.pay(6, act.Done)
	risky, err := NewAction("risky", sexpr.Plist("what", sexpr.Str("call it back")), "")
	require.NoError(t, err)
	for _, intent := range []uint64{n, m} {
		_, err = b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: intent, Action: risky}}, nil)
		var held *ledger.NotAllowed
		require.ErrorAs(t, err, &held)
		require.Equal(t, reason.Ask, held.Decision.Kind)
		require.NoError(t, b.Approve(t.Context(), held.Decision.Approval, ana))
		require.NoError(t, b.Operations().Wait(t.Context()))
		before := b.tool.count()
		done, err := b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: intent, Action: risky}}, nil)
		require.NoError(t, err)
		require.Len(t, done, 1)
		assert.Equal(t, before+1, b.tool.count(), "the yes alone runs nothing")
		card, err := b.Approvals().Get(t.Context(), held.Decision.Approval)
		require.NoError(t, err)
		assert.Equal(t, approval.Consumed, card.State)
	}
}

// A list is made up for from its newest intent on, stops where it cannot go on,
// and goes on from there.
func TestCompensateAll(t *testing.T) {
	b := newBench(t, testRules, "")
	var list []ledger.Compensation
	for i := range int64(5) {
		came := act.Done
		if i == 1 {
			came = act.Nothing
		}
		list = append(list, ledger.Compensation{Intent: b.pay(i+1, came), Action: sorry(t, fmt.Sprintf("sorry %d", i+1))})
	}
	list[2].Action = sorry(t, "rude 3")
	said := func() (out []string) {
		b.tool.mu.Lock()
		defer b.tool.mu.Unlock()
		for _, c := range b.tool.calls {
			a, err := sexpr.Read("call", c)
			require.NoError(t, err)
			args, _ := a.Get("args")
			out = append(out, args.GetText("text"))
		}
		return out
	}
	done, err := b.Compensations().Run(t.Context(), list, shop)
	var refused *ledger.NotAllowed
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "words/rude", refused.Decision.Key)
	require.Len(t, done, 2)
	assert.Equal(t, []string{"sorry 5", "sorry 4"}, said())

	list[2].Action = sorry(t, "sorry 3")
	b.tool.fail = errors.New("no paper")
	done, err = b.Compensations().Run(t.Context(), list, shop)
	require.Len(t, done, 2, "what is made up for is not done again")
	var broken *ledger.CompensationError
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, ledger.CompensationFailed, broken.State)
	assert.Equal(t, list[2].Intent, broken.Intent)
	b.tool.fail = nil
	_, err = b.Compensations().Run(t.Context(), list, shop)
	assertStands(t, err, list[2].Intent, broken.By, ledger.CompensationFailed)
	assert.Equal(t, []string{"sorry 5", "sorry 4", "sorry 3"}, said(), "a failed one is not tried again")

	require.NoError(t, b.Operations().Settle(t.Context(), broken.By, true, ana))
	done, err = b.Compensations().Run(t.Context(), list, shop)
	require.NoError(t, err)
	assert.Equal(t, []string{"sorry 5", "sorry 4", "sorry 3", "sorry 1"}, said())
	states := map[ledger.CompensationState]int{}
	for _, c := range done {
		states[c.State]++
	}
	assert.Equal(t, map[ledger.CompensationState]int{ledger.CompensationDone: 4, ledger.CompensationNeedless: 1}, states)

	_, err = b.Compensations().Run(t.Context(), append(list, list[0]), shop)
	require.ErrorContains(t, err, "in the list twice")
	_, err = b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: 1 << 40, Action: sorry(t, "x")}}, shop)
	require.ErrorIs(t, err, ledger.ErrNoIntent)
	assert.Equal(t, 4, b.tool.count())
}

// A dry engine and one that only watches carry nothing out, and nothing is claimed.
func TestCompensateAll_Dry(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = t.TempDir() })
	n := b.pay(5, act.Done)
	list := []ledger.Compensation{{Intent: n, Action: sorry(t, "sorry")}}
	for _, change := range []func(*Options){func(o *Options) {
		o.Live = false
	}, func(o *Options) { o.Live, o.Observe = false, true }} {
		was := b.opt
		change(&b.opt)
		b.reopen()
		_, err := b.Compensations().Run(t.Context(), list, nil)
		require.ErrorContains(t, err, "nothing was done")
		b.opt = was
		b.reopen()
	}
	assert.Zero(t, b.tool.count())
	_, err := b.Compensations().Run(t.Context(), list, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, b.tool.count())
}

// However many ask at once, one permit is given for an intent, and one action done.
func TestI2_CompensatedOnceByMany(t *testing.T) {
	many := func(t *testing.T, b *bench) (effects int) {
		for round := range 10 {
			n := b.pay(int64(round), act.Done)
			before := b.tool.count()
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					a := sorry(t, fmt.Sprintf("sorry %d, says %d", n, i))
					if i%2 == 0 {
						_, _ = b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: n, Action: a}}, nil)
						return
					}
					d, err := b.Compensations().Decide(t.Context(), n, a, &Facts{Session: skills.Session{ID: fmt.Sprint("s", i)}})
					if err != nil {
						return
					}
					if p, err := b.Begin(t.Context(), d); err == nil {
						_, err = b.dispatcher.Dispatch(t.Context(), p)
						assert.NoError(t, err)
					}
				})
			}
			wg.Wait()
			if got := b.tool.count() - before; got > effects {
				effects = got
			}
			assert.Positive(t, b.tool.count()-before)
		}
		return effects
	}
	assert.Equal(t, 1, many(t, newBench(t, testRules, "")))
	// Negative control: where the claim is forgotten, it is done more than once.
	assert.Greater(t, many(t, newBench(t, testRules, "", forgetClaims)), 1)
}

// dropping is a store that does not carry out some writes.
type dropping struct {
	journal.Store
	drop func(journal.Write) bool
}

func (s dropping) Commit(writes []journal.Write) error {
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), s.drop))
}

// forgetClaims is a bug: that an intent is made up for is not kept.
func forgetClaims(o *Options) {
	o.hooks.Wrap = func(s journal.Store) journal.Store {
		return dropping{s, func(w journal.Write) bool { return w.Key[0] == byte(record.TableCompensation) }}
	}
}

// Wherever the engine stops while it makes up for several intents, the next call
// goes on from there: each action is done at most once, in order, and in the end
// all are, or a person has said that they happened.
func TestI2_KilledAtEveryPointOfACompensation(t *testing.T) {
	crashtest.Long(t)
	double := compensationCuts(t, func(*Options) {})
	assert.Zero(t, double, "done twice")
	// Negative control: where the claim is forgotten, the next engine does it again.
	assert.Positive(t, compensationCuts(t, forgetClaims), "the harness finds nothing")
}

// compensationCuts cuts the power before each change to the disk, goes on with what
// is left, and returns how many actions were done twice.
func compensationCuts(t *testing.T, bug func(*Options)) (double int) {
	cutter := newCutter()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir, o.mount = "state", on(cutter.disk) }, bug)
	cutter.world = b.tool
	var list []ledger.Compensation
	for i := range int64(3) {
		list = append(list, ledger.Compensation{Intent: b.pay(i+1, act.Done), Action: sorry(t, fmt.Sprintf("sorry %d", i+1))})
	}
	cutter.watch(true)
	_, err := b.Compensations().Run(t.Context(), list, nil)
	require.NoError(t, err)
	cutter.watch(false)
	require.Greater(t, len(cutter.cuts), 10)
	middle := 0
	for i, cut := range cutter.cuts {
		again := &recordingTool{calls: cut.done}
		opt := b.opt
		opt.mount, opt.Tools = on(cut.disk), append(opt.Tools[:0:0], opt.Tools...)
		for k := range opt.Tools {
			opt.Tools[k].Actuator = again
		}
		e, err := open(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Operations().Wait(t.Context()))
		doubts, err := e.Operations().Doubts(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, len(doubts), 1, "cut %d", i)
		if len(cut.done) > 0 && len(cut.done) < len(list) {
			middle++
		}
		for _, d := range doubts {
			_, err = e.Compensations().Run(t.Context(), list, nil)
			var waits *ledger.CompensationError
			if bug == nil || errors.As(err, &waits) {
				assert.Equal(t, ledger.CompensationInDoubt, waits.State, "cut %d", i)
			}
			happened := len(cut.done) > 0 && cut.done[len(cut.done)-1] == d.Action.Canonical()
			require.NoError(t, e.Operations().Settle(t.Context(), d.Intent, happened, ana))
		}
		_, err = e.Compensations().Run(t.Context(), list, nil)
		require.NoError(t, err, "cut %d", i)
		seen := map[string]bool{}
		for _, c := range again.calls {
			if seen[c] {
				double++
			}
			seen[c] = true
		}
		assert.Len(t, seen, len(list), "cut %d", i)
		got, err := e.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		assert.Empty(t, got.Differences, "cut %d", i)
		require.NoError(t, e.Journal().Verify(t.Context()))
		require.NoError(t, e.Close())
	}
	assert.Positive(t, middle, "no cut fell between two of them")
	return double
}

// A failed compensation, and what it was for, are kept however old they are.
func TestI4_RetentionKeepsWhatCompensationsNeed(t *testing.T) {
	b := newBench(t, testRules, "", func(o *Options) { o.Retain.Age = time.Hour })
	n, gone := b.pay(5, act.Done), b.pay(6, act.Done)
	_, err := b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: gone, Action: sorry(t, "sorry")}}, nil)
	require.NoError(t, err)
	d, err := b.Compensations().Decide(t.Context(), n, sorry(t, "sorry"), &Facts{Session: skills.Session{ID: "desk"}})
	require.NoError(t, err)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Failed}))
	later := func() {
		b.clock.Add(int64(100 * time.Hour / time.Second))
		_, err := b.Operations().Retain(t.Context())
		require.NoError(t, err)
		require.NoError(t, b.Journal().Verify(t.Context()))
	}
	later()
	failed, err := b.Compensations().Failed(t.Context())
	require.NoError(t, err)
	require.Len(t, failed, 1)
	require.NoError(t, b.Operations().Settle(t.Context(), p.ID(), false, ana))
	d, err = b.Compensations().Decide(t.Context(), n, sorry(t, "sorry again"), nil)
	require.NoError(t, err)
	p, err = b.Begin(t.Context(), d)
	require.NoError(t, err)
	later()
	require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
	_, err = b.Compensations().Decide(t.Context(), n, sorry(t, "sorry"), nil)
	assertStands(t, err, n, p.ID(), ledger.CompensationDone)
	later()
	later()
	_, err = b.Compensations().Decide(t.Context(), n, sorry(t, "sorry"), nil)
	require.ErrorIs(t, err, ledger.ErrNoIntent)
	require.ErrorIs(t, err, journal.ErrRemoved)
	left := 0
	require.NoError(t, b.j.Scan([]byte{byte(record.TableCompensation)}, []byte{byte(record.TableCompensation) + 1},
		func(_, _ []byte) bool { left++; return true }))
	assert.Zero(t, left)
}

// What a model writes is a proposal and nothing else, whatever it says it is for.
func TestI6_NoModelStartsACompensation(t *testing.T) {
	b := newBench(t, testRules,
		`(:form (:type :request :target :tool :payload (:tool "note" :args (:text "for 7") :compensates 7))) `+
			`(:form (:type :request :target :tool :compensates 7 :payload (:tool "note" :args (:text "for 7" :compensates 7)))) `+
			`(:form (:type :request :target :tool :payload (:tool "note" :args (:text "for 7")))) (:reply "done" :repeat t)`)
	b.pay(5, act.Done)
	b.say("make up for it")
	made := 0
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindDecision || r.Kind == record.KindIntent {
			made++
			assert.Zero(t, r.Body.GetInt("compensates"), r.Body.String())
		}
		return nil
	}))
	assert.Greater(t, made, 2)
}
