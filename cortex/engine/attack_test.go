package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
)

// asksOnce proposes something risky when a person speaks, and says what it heard
// when it hears what came of it.
type asksOnce struct {
	mu    sync.Mutex
	heard []string
}

func (*asksOnce) Name() string { return "asks-once" }

func (m *asksOnce) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role == model.RoleUser {
		return model.Completion{Text: `(:type :request :payload (:tool "risky" :args (:what "x")))`}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, last.Text)
	return model.Completion{Text: "I see"}, nil
}

func (m *asksOnce) told() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.heard)
}

func withModel(m model.Provider) func(*Options) {
	return func(o *Options) { o.Models.Providers = []model.Provider{m} }
}

// waiting waits until so many signals are in a session or wait for its turn.
func (b *bench) waiting(session string, n int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		b.sessions.Mu.Lock()
		defer b.sessions.Mu.Unlock()
		return len(b.sessions.Queues[session]) == n
	}, 20*time.Second, time.Millisecond)
}

// A card is denied while its signal is being taken up: the model hears of it
// once, no matter who comes first.
func TestADenialDuringTakeUpIsToldOnce(t *testing.T) {
	m := &asksOnce{}
	b := newBench(t, testRules, "", withModel(m))
	sig := Signal{Text: "do it", Session: "s1", Principal: "ann", Type: perceive.Event, Sensor: perceive.UserInput,
		Source: "api"}
	out, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	// As if the engine had stopped before the answer was on record.
	require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error {
		tx.Set(record.TableUnanswered.Key(out.Signal), record.Number(1))
		return nil
	}))
	leave, err := b.sessions.Enter(t.Context(), "s1")
	require.NoError(t, err)
	taken, place := b.sessions.TakenUp(sig, out.Signal, 1), b.sessions.Reserve("s1")
	require.NoError(t, b.Deny(t.Context(), out.Approval, ana, "no"))
	b.waiting("s1", 3)
	leave()
	b.sessions.AnswerAll([]*session.Accepted{taken}, place)
	require.NoError(t, b.Operations().Wait(t.Context()))
	assert.Equal(t, 1, m.told())
	left, err := b.sessions.Unanswered(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Wherever an engine stops after a card was denied, the model and anyone who joined
// the card hear of it from the next one.
func TestADenialIsToldWhereverTheEngineStops(t *testing.T) {
	crashtest.Long(t)
	var mu sync.Mutex
	var cuts []*storetest.Disk
	var disk *storetest.Disk
	watching := false
	disk = storetest.NewDisk(func(storetest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if watching {
			cuts = append(cuts, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))))
		}
		return nil
	})
	watch := func(on bool) {
		mu.Lock()
		defer mu.Unlock()
		watching = on
	}
	b := newBench(t, testRules, "", withModel(&asksOnce{}), func(o *Options) { o.Dir, o.mount = "state", on(disk) })
	first, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	a, err := b.Accept(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ben"})
	require.NoError(t, err)
	respond := a.Respond
	a.Respond = func(ctx context.Context, sig Signal, out *session.Outcome) error {
		err := respond(ctx, sig, out)
		watch(true)
		return errors.Join(err, b.Deny(ctx, first.Approval, ana, "no"))
	}
	second, err := a.Answer(t.Context())
	require.NoError(t, err)
	require.Equal(t, first.Approval, second.Approval)
	require.NoError(t, b.Operations().Wait(t.Context()))
	watch(false)
	require.NotEmpty(t, cuts)
	denied := 0
	for i, cut := range cuts {
		opt := b.opt
		opt.mount, opt.Models.Providers = on(cut), []model.Provider{&asksOnce{}}
		e, err := open(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Operations().Wait(t.Context()))
		card, err := e.Approvals().Get(t.Context(), first.Approval)
		require.NoError(t, err)
		if card.State == approval.Denied {
			denied++
			told := map[uint64]int{}
			require.NoError(t, e.Journal().Records(1, func(r Record) error {
				if r.Kind == record.KindSignal && strings.Contains(r.Body.String(), "it was refused") {
					s, err := perceive.DecodeSignal(r.Body)
					told[s.Root]++
					return err
				}
				return nil
			}))
			assert.Len(t, told, 2, "cut %d", i)
			assert.Positive(t, told[first.Signal]*told[second.Signal], "cut %d", i)
		}
		require.NoError(t, e.Close())
	}
	assert.Positive(t, denied)
}

// Who joined a card that somebody edits, or that new rules replace, hears what
// came of it in the end.
func TestWhoJoinedACardIsCarriedOverToTheNext(t *testing.T) {
	for name, replace := range map[string]func(*testing.T, *bench, string) string{
		"edited": func(t *testing.T, b *bench, token string) string {
			d, err := b.Edit(t.Context(), token, ana, mustRead(t, `(:what "y")`))
			require.NoError(t, err)
			return d.Approval
		},
		"new rules": func(t *testing.T, b *bench, _ string) string {
			b.opt.Rules = rulesOf(testRules + "\n; newer")
			b.reopen()
			p := b.pending()
			require.Len(t, p, 1)
			require.NoError(t, b.Approve(t.Context(), p[0].Token, ana))
			return p[0].Token
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &asksOnce{}
			b := newBench(t, testRules, "", withModel(m), func(o *Options) { o.Dir = t.TempDir() })
			first, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
			require.NoError(t, err)
			second, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ben"})
			require.NoError(t, err)
			require.Equal(t, first.Approval, second.Approval)
			replace(t, b, first.Approval)
			require.NoError(t, b.Operations().Wait(t.Context()))
			assert.Equal(t, 1, b.tool.count(), "one effect")
			assert.Equal(t, 2, m.told(), "both hear of it")
		})
	}
}

const calmRules = testRules + `
(defskill calm :priority 1 :gate ((allow y :when (and (= action.tool "risky") (= action.args.what "y")) :reason "y is fine")))`

// A person puts arguments that need nobody's yes into a card whose signal is
// being taken up: there is one effect, no matter who comes first.
func TestI2_AnEditDuringTakeUpIsCarriedOutOnce(t *testing.T) {
	for name, takenUpFirst := range map[string]bool{"taken up first": true, "edited first": false} {
		t.Run(name, func(t *testing.T) {
			m := &asksOnce{}
			b := newBench(t, calmRules, "", withModel(m))
			sig := Signal{Text: "do it", Session: "s1", Principal: "ann", Type: perceive.Event, Sensor: perceive.UserInput,
				Source: "api"}
			out, err := b.Submit(t.Context(), sig)
			require.NoError(t, err)
			require.NotEmpty(t, out.Approval)
			taken := b.sessions.TakenUp(sig, out.Signal, 1)
			leave, err := b.sessions.Enter(t.Context(), "s1")
			require.NoError(t, err)
			var p *session.Waiter
			if takenUpFirst {
				p = b.sessions.Reserve("s1")
			}
			d, err := b.Edit(t.Context(), out.Approval, ana, mustRead(t, `(:what "y")`))
			require.NoError(t, err)
			require.Equal(t, reason.Allow, d.Kind)
			if takenUpFirst {
				b.waiting("s1", 3)
			} else {
				b.waiting("s1", 2)
				p = b.sessions.Reserve("s1")
			}
			leave()
			b.sessions.AnswerAll([]*session.Accepted{taken}, p)
			require.NoError(t, b.Operations().Wait(t.Context()))
			assert.Equal(t, 1, b.tool.count())
			b.intact()
		})
	}
}

// New rules that allow what a card asked about, in the engine that also takes up
// the card's signal: there is one effect, wherever the engine stops.
func TestI2_NewRulesAndATakeUpHaveOneEffect(t *testing.T) {
	crashtest.Long(t)
	for range 20 {
		b := newBench(t, testRules, "", withModel(&asksOnce{}),
			func(o *Options) { o.Dir, o.mount = "state", on(storetest.NewDisk(nil)) })
		out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
		require.NoError(t, err)
		require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error {
			tx.Set(record.TableUnanswered.Key(out.Signal), record.Number(0))
			return nil
		}))
		b.opt.Rules = rulesOf(testRules + `
(defskill calm :priority 1 :gate ((allow all :when (= action.tool "risky") :reason "fine")))`)
		b.reopen()
		require.NoError(t, b.Operations().Wait(t.Context()))
		assert.Equal(t, 1, b.tool.count())
		b.reopen()
		require.NoError(t, b.Operations().Wait(t.Context()))
		assert.Equal(t, 1, b.tool.count())
	}
}

// A card's time may end at any moment of an edit. When its editor is told so, it
// stands on record: nobody reads of a pending card after that.
func TestACardThatEndsDuringItsEditHasEnded(t *testing.T) {
	ended := 0
	for n := range 40 {
		if testing.Short() && n%2 > 0 {
			continue
		}
		var left atomic.Int64
		b := newBench(t, testRules, "", withModel(&asksOnce{}), func(o *Options) {
			inner := o.Clock.Now
			o.Clock.Now = func() time.Time {
				if left.Add(-1) >= 0 {
					return inner()
				}
				return inner().Add(25 * time.Hour)
			}
		})
		left.Store(1 << 40)
		out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
		require.NoError(t, err)
		left.Store(int64(n))
		_, err = b.Edit(t.Context(), out.Approval, ana, mustRead(t, `(:what "other")`))
		if over := (*approval.StateError)(nil); errors.As(err, &over) && over.State == approval.Expired {
			ended++
			a, err := b.Approvals().Get(t.Context(), out.Approval)
			require.NoError(t, err)
			assert.Equal(t, approval.Expired, a.State, "the clock jumps after %d looks at it", n)
		}
		require.NoError(t, b.Operations().Wait(t.Context()))
	}
	assert.Greater(t, ended, 3)
}

// An edit that rules refuse ends the card, and the model hears of it.
func TestARefusedEditIsTold(t *testing.T) {
	m := &asksOnce{}
	b := newBench(t, testRules+`
(defskill strict :priority 1 :gate ((deny z :when (and (= action.tool "risky") (= action.args.what "z")) :reason "z is too much")))`, "", withModel(m))
	out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	d, err := b.Edit(t.Context(), out.Approval, ana, mustRead(t, `(:what "z")`))
	require.NoError(t, err)
	require.Equal(t, reason.Deny, d.Kind)
	require.NoError(t, b.Operations().Wait(t.Context()))
	require.Equal(t, 1, m.told())
	assert.Contains(t, m.heard[0], "z is too much")
	assert.Zero(t, b.tool.count())
}

// Who may not approve what they set themselves cannot use the yes that they gave
// to somebody else's task for their own, though the session and the action are
// the same.
func TestAYesForSomebodyElsesTaskIsNoneForOnesOwn(t *testing.T) {
	b := newBench(t, `(defaults :unknown-tool :deny)
(deftool risky :params (:what string) :tier :allow)
(defskill two-people :trigger (= action.tool "risky") :gate ((ask second :not-user t :reason "somebody else has to agree")))`, "", withModel(&asksOnce{}))
	out, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	leave, err := b.sessions.Enter(t.Context(), "s1")
	require.NoError(t, err)
	answered := make(chan *session.Outcome, 1)
	go func() {
		out, err := b.Submit(context.Background(), Signal{Text: "do it", Session: "s1", Principal: "ben"})
		assert.NoError(t, err)
		answered <- out
	}()
	b.waiting("s1", 2)
	require.NoError(t, b.Approve(t.Context(), out.Approval, ben))
	b.waiting("s1", 3)
	leave()
	own := <-answered
	require.NoError(t, b.Operations().Wait(t.Context()))
	require.NotEmpty(t, own.Approval, "ben's own task asks")
	assert.Zero(t, b.tool.count(), "what ben said yes to is asked again: it could not be told apart from his own")
	for _, card := range b.pending() {
		for _, s := range card.Slots {
			assert.Empty(t, s.By)
		}
	}
}
