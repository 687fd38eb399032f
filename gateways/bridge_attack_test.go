package gateways_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// attacked is a bridge with one gateway in front of an engine, and two people who
// are operators by the engine's own configuration.
type attacked struct {
	t      *testing.T
	engine *cortex.Engine
	m      *gatewaytest.Memory
}

func attack(t *testing.T, g func(*gatewaytest.Memory) gateways.Gateway,
	answer func(context.Context, model.Prompt) string, change ...func(*cortex.Options)) *attacked {
	t.Helper()
	a := &attacked{t: t, m: gatewaytest.NewMemory()}
	var err error
	opt := cortex.Options{
		Live: true, Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ann", "ben"}}},
		Models: cortex.Models{Providers: []model.Provider{modelFunc{answer}}},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :deny)\n(deftool risky :params (:what " +
			"string) :tier :ask :effect :external)")}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "risky"},
			Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done}, nil
			})}},
	}
	for _, f := range change {
		f(&opt)
	}
	a.engine, err = cortex.Open(t.Context(), opt)
	require.NoError(t, err)
	d, err := gateways.New(gateways.Options{Engine: a.engine, Gateways: []gateways.Gateway{g(a.m)},
		Backoff: time.Millisecond, Accounts: []gateways.Account{
			{Gateway: "memory", User: "1", Chat: "c1", Principal: "ann"},
			{Gateway: "memory", User: "2", Chat: "c2", Principal: "ben"},
		}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, a.engine.Close())
	})
	return a
}

type modelFunc struct {
	f func(context.Context, model.Prompt) string
}

func (modelFunc) Name() string { return "model" }

func (m modelFunc) Complete(ctx context.Context, p model.Prompt) (model.Completion, error) {
	return model.Completion{Text: m.f(ctx, p)}, ctx.Err()
}

func plainly(m *gatewaytest.Memory) gateways.Gateway { return m }

func risky(context.Context, model.Prompt) string {
	return `(:type :request :payload (:tool "risky" :args (:what "x")))`
}

func (a *attacked) await(what string, so func() bool) {
	a.t.Helper()
	require.Eventually(a.t, so, 20*time.Second, 2*time.Millisecond, what)
}

func (a *attacked) texts(chat, part string) (n int) {
	for _, m := range a.m.Shown(chat) {
		if strings.Contains(m.Text, part) {
			n++
		}
	}
	return n
}

// card waits for a card in a chat and returns its approval.
func (a *attacked) card(chat string) *cortex.Approval {
	a.t.Helper()
	var found *cortex.Approval
	a.await("a card", func() bool {
		for p, err := range a.engine.Pending(a.t.Context()) {
			require.NoError(a.t, err)
			found = p
		}
		return found != nil && a.texts(chat, found.Token) > 0
	})
	return found
}

// suspends makes everything that somebody does come from a suspended account.
type suspends struct {
	*gatewaytest.Memory
	user string
}

func (s suspends) Receive(ctx context.Context, from int64, handle func(context.Context, gateways.Update) error) error {
	return s.Memory.Receive(ctx, from, func(ctx context.Context, u gateways.Update) error {
		if u.User == s.user {
			u.Suspended = "their key has changed"
		}
		return handle(ctx, u)
	})
}

// The command of a suspended account is on record, and is not an answer.
func TestACommandOfASuspendedAccountDoesNotCount(t *testing.T) {
	a := attack(t, func(m *gatewaytest.Memory) gateways.Gateway { return suspends{m, "2"} }, risky)
	a.m.Write("1", "c1", "do it")
	c := a.card("c1")
	a.m.Write("2", "c2", "/approve "+c.Token)
	a.m.Write("1", "c1", "/deny nothing")
	a.await("what comes behind", func() bool { return a.texts("c1", "unknown token") > 0 })
	now, err := a.engine.Approvals().Get(t.Context(), c.Token)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, now.State)
}

// An answer that was typed is taken once, and the person hears of it once.
func TestATypedAnswerIsTakenOnceAndToldOnce(t *testing.T) {
	a := attack(t, plainly, risky)
	a.m.Write("1", "c1", "do it")
	c := a.card("c2")
	a.m.Write("2", "c2", "/deny "+c.Token+" not today")
	a.await("that it is denied", func() bool { return a.texts("c2", "denied "+c.Token) > 0 })
	a.m.Write("2", "c2", "/deny nothing")
	a.await("what comes behind", func() bool { return a.texts("c2", "unknown token") > 0 })
	assert.Equal(t, 1, a.texts("c2", "denied "+c.Token))
	assert.Zero(t, a.texts("c2", "takes no more answers"))
	assert.Equal(t, 1, a.texts("c2", "unknown token"))
}

// While a model thinks about what somebody wrote, the same person, and everybody
// else, can answer cards.
func TestASlowModelDoesNotHoldUpAnswers(t *testing.T) {
	var once sync.Once
	thinking := make(chan struct{})
	a := attack(t, plainly, func(ctx context.Context, p model.Prompt) string {
		if p.Messages[len(p.Messages)-1].Text != "think" {
			return risky(ctx, p)
		}
		once.Do(func() { close(thinking) })
		<-ctx.Done()
		return ""
	})
	a.m.Write("1", "c1", "do it")
	c := a.card("c2")
	a.m.Write("2", "c2", "think")
	<-thinking
	a.m.Write("2", "c2", "/deny "+c.Token+" not today")
	a.await("that it is denied", func() bool { return a.texts("c2", "denied "+c.Token) > 0 })
	a.m.Write("1", "c1", "/deny nothing")
	a.await("what others wrote", func() bool { return a.texts("c1", "unknown token") > 0 })
}

// Whatever bytes a person sends, those who write behind are served.
func TestNoTextBlocksThoseBehindIt(t *testing.T) {
	a := attack(t, plainly, func(context.Context, model.Prompt) string { return "heard" })
	for _, text := range []string{"\x00", "a\x00b", "\xff\xfe", "\u202e\ufffe", strings.Repeat("(", 100_000),
		"/approve \x00", "/deny a\x00b \xff", "/approve " + strings.Repeat("x", 1<<20)} {
		a.m.Write("1", "c1", text)
		a.m.Press("1", "c1", text, text, true)
	}
	a.m.Write("2", "c2", "hello")
	a.await("the answer to who wrote last", func() bool { return a.texts("c2", "heard") > 0 })
	require.NoError(t, a.engine.Journal().Verify(t.Context()))
}

// tooFast refuses the first cards, as a service does that is asked too often.
type tooFast struct {
	*gatewaytest.Memory
	mu    sync.Mutex
	times int
}

func (f *tooFast) Show(ctx context.Context, chat string, c card.Card, nonce string) (string, error) {
	f.mu.Lock()
	f.times--
	refuse := f.times >= 0
	f.mu.Unlock()
	if refuse {
		return "", &gateways.RetryAfter{Wait: time.Millisecond, Err: gatewaytest.ErrPassing}
	}
	return f.Memory.Show(ctx, chat, c, nonce)
}

// A storm of refusals does not make the record grow with the tries.
func TestAStormOfRefusalsIsOnePosting(t *testing.T) {
	a := attack(t, func(m *gatewaytest.Memory) gateways.Gateway { return &tooFast{Memory: m, times: 8} }, risky)
	a.m.Write("1", "c1", "do it")
	c := a.card("c2")
	a.await("a card each", func() bool { return a.texts("c1", c.Token) > 0 && a.texts("c2", c.Token) > 0 })
	posted, err := a.engine.Approvals().Postings(c.Token)
	require.NoError(t, err)
	assert.Len(t, posted, 2)
}

// watched sees whether handling a stranger's update writes anything.
type watched struct {
	*gatewaytest.Memory
	a     *attacked
	wrote atomic.Int64
}

func (w *watched) Receive(ctx context.Context, from int64, handle func(context.Context, gateways.Update) error) error {
	return w.Memory.Receive(ctx, from, func(ctx context.Context, u gateways.Update) error {
		before, _ := w.a.engine.Hosts().Cursors().Of("memory")
		err := handle(ctx, u)
		if after, _ := w.a.engine.Hosts().Cursors().Of("memory"); u.User == "9" && after != before {
			w.wrote.Add(1)
		}
		return err
	})
}

// What strangers write costs no write, however much it is; those behind them are
// served.
func TestStrangersCostNoDisk(t *testing.T) {
	w := &watched{}
	w.a = attack(t, func(m *gatewaytest.Memory) gateways.Gateway {
		w.Memory = m
		return w
	}, func(context.Context, model.Prompt) string { return "heard" })
	for range 500 {
		w.Write("9", "c9", "let me in")
		w.Press("9", "c1", "1", "nonce", true)
		w.Write("9", "c1", "and here")
	}
	w.Write("1", "c1", "hello")
	w.a.await("the next answer", func() bool { return w.a.texts("c1", "heard") > 0 })
	assert.Zero(t, w.wrote.Load())
}

// A conversation whose history takes all the memory it may have is told so, and holds
// nobody up: the others go on, and it does when an operator has ended its session.
func TestAFullConversationIsToldAndHoldsNobodyUp(t *testing.T) {
	a := attack(t, plainly, func(_ context.Context, p model.Prompt) string {
		return "well"
	}, func(o *cortex.Options) { o.Caps.SessionMemory = 4096 })
	for i := range 20 {
		a.m.Write("1", "c1", strings.Repeat("word ", 100)+fmt.Sprint(i))
	}
	a.await("it is full", func() bool { return a.texts("c1", "this session is full") > 0 })
	a.m.Write("2", "c2", "hello")
	a.await("others go on", func() bool { return a.texts("c2", "well") > 0 })
	require.Eventually(t, func() bool {
		return a.engine.Operations().EndSession(t.Context(), "memory/c1", cortex.Approver{Name: "ann"}) == nil
	}, 20*time.Second, time.Millisecond)
	before := a.texts("c1", "well")
	a.m.Write("1", "c1", "hello again")
	a.await("it goes on", func() bool { return a.texts("c1", "well") > before })
}
