package cortex

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
)

// asksOnce proposes something risky when a person speaks, and says what it heard
// when it hears what came of it.
type asksOnce struct {
	mu    sync.Mutex
	heard []string
}

func (*asksOnce) Name() string { return "asks-once" }

func (m *asksOnce) Complete(_ context.Context, p reason.Prompt) (reason.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role == reason.RoleUser {
		return reason.Completion{Text: `(:type :request :payload (:tool "risky" :args (:what "x")))`}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, last.Text)
	return reason.Completion{Text: "I see"}, nil
}

func (m *asksOnce) told() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.heard)
}

func withModel(m reason.Provider) func(*Options) {
	return func(o *Options) { o.Providers = []reason.Provider{m} }
}

// waiting waits until so many signals are in a session or wait for its turn.
func (b *bench) waiting(session string, n int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.sessions[session] != nil && b.sessions[session].users == n
	}, 20*time.Second, time.Millisecond)
}

// A card is denied while its signal is being taken up: the model hears of it
// once, whoever comes first.
func TestADenialDuringTakeUpIsToldOnce(t *testing.T) {
	m := &asksOnce{}
	b := newBench(t, testRules, "", withModel(m))
	sig := Signal{Text: "do it", Session: "s1", Principal: "ann", Type: perceive.Event, Sensor: perceive.UserInput, Source: "api"}
	out, err := b.Submit(t.Context(), sig)
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	// As if the engine had stopped before the answer was on record.
	require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error {
		tx.Set(key(tableUnanswered, out.Signal), number(1))
		return nil
	}))
	leave, err := b.enter(t.Context(), "s1")
	require.NoError(t, err)
	taken := make(chan error, 1)
	go func() {
		_, err := b.takenUp(sig, out.Signal, 1).Answer(context.Background())
		taken <- err
	}()
	b.waiting("s1", 2)
	require.NoError(t, b.Deny(t.Context(), out.Approval, ana, "no"))
	b.waiting("s1", 3)
	leave()
	require.NoError(t, <-taken)
	require.NoError(t, b.Wait(t.Context()))
	assert.Equal(t, 1, m.told())
	left, err := b.unanswered(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Wherever an engine stops after a card was denied, the model and whoever joined
// the card hear of it from the next one.
func TestADenialIsToldWhereverTheEngineStops(t *testing.T) {
	var mu sync.Mutex
	var cuts []*store.Disk
	var disk *store.Disk
	watching := false
	disk = store.NewDisk(func(store.Op) error {
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
	b := newBench(t, testRules, "", withModel(&asksOnce{}), func(o *Options) { o.Dir, o.disk = "state", disk })
	first, err := b.Submit(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ann"})
	require.NoError(t, err)
	a, err := b.Accept(t.Context(), Signal{Text: "do it", Session: "s1", Principal: "ben"})
	require.NoError(t, err)
	respond := a.respond
	a.respond = func(ctx context.Context, sig Signal, out *Outcome) error {
		err := respond(ctx, sig, out)
		watch(true)
		return errors.Join(err, b.Deny(ctx, first.Approval, ana, "no"))
	}
	second, err := a.Answer(t.Context())
	require.NoError(t, err)
	require.Equal(t, first.Approval, second.Approval)
	require.NoError(t, b.Wait(t.Context()))
	watch(false)
	require.NotEmpty(t, cuts)
	denied := 0
	for i, cut := range cuts {
		opt := b.opt
		opt.disk, opt.Providers = cut, []reason.Provider{&asksOnce{}}
		e, err := Open(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Wait(t.Context()))
		card, err := e.Approval(t.Context(), first.Approval)
		require.NoError(t, err)
		if card.State == Denied {
			denied++
			told := map[uint64]int{}
			require.NoError(t, e.Journal().Records(1, func(r Record) error {
				if r.Kind == kindSignal && strings.Contains(r.Body.String(), "it was refused") {
					s, err := perceive.DecodeSignal(r.Body)
					told[s.Root]++
					return err
				}
				return nil
			}))
			assert.Equal(t, map[uint64]int{first.Signal: 1, second.Signal: 1}, told, "cut %d", i)
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
			require.NoError(t, b.Wait(t.Context()))
			assert.Equal(t, 1, b.tool.count(), "one effect")
			assert.Equal(t, 2, m.told(), "both hear of it")
		})
	}
}
