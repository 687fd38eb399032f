// Package gatewaytest has the tests that every gateway passes. Anyone who writes a
// gateway writes a strict fake of its service too, and runs the suite on both:
//
//	func TestGateway(t *testing.T) {
//		gatewaytest.Run(t, func(t *testing.T) gatewaytest.Setup { ... })
//	}
//
// The suite puts a real engine and a real bridge behind the gateway and plays the
// people in front of it.
package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Service is the messenger's side of a gateway, as people and the network see it.
type Service interface {
	// Write lets a person write a text in a chat.
	Write(user, chat, text string)
	// Press lets a person press a button of a message, or react to it. nonce is
	// what the button carries.
	Press(user, chat, message, nonce string, approve bool)
	// Shown returns the messages of ours that stand in a chat, oldest first.
	Shown(chat string) []Message
	// Redeliver lets the service hand over again what it was told had been read
	// last, if it can forget; where it cannot, it does nothing.
	Redeliver()
	// Fail lets the next n messages of ours be refused with a passing error.
	Fail(n int)
}

// Message is one of ours in a chat.
type Message struct {
	ID    string
	Text  string
	Nonce string // what its buttons carry
	Open  bool   // it is a card that can be answered
}

// Setup is a fresh gateway on a fresh service. People are the ids of three
// accounts with a chat each: two on the allow-list, who may approve, and one
// stranger.
type Setup struct {
	// Gateway makes a gateway on the service; it is called again for each restart.
	Gateway func() gateways.Gateway
	Service Service
	People  [3]Person
}

// Person is an account and its chat with us.
type Person struct{ User, Chat string }

const rules = `
(defaults :unknown-tool :deny)
(deftool risky :params (:what string) :tier :ask :effect :external)`

// world is one test's engine, bridge and people.
type world struct {
	t       *testing.T
	setup   Setup
	dir     string
	engine  *cortex.Engine
	stop    func()
	late    atomic.Int64 // what the engine's clock is ahead by
	mu      sync.Mutex
	done    []string // what the tool did
	prompts []string // what the model was asked
}

// Run runs the suite. open makes a fresh service and gateway.
func Run(t *testing.T, open func(t *testing.T) Setup) {
	for name, f := range map[string]func(*testing.T, *world){
		"text is answered": textIsAnswered,
		"Row085 W21 an ask costs one call and runs nothing":   asking,
		"Row086 a card is answered by a press, once":          cardIsPressed,
		"Row087 W19 a card is denied and closed everywhere":   cardIsDenied,
		"Row088 an answer is typed and reaches no model":      answerIsTyped,
		"a question is answered in words, and by no press":    questionIsAnswered,
		"Row089 W18 wrong presses are refused":                wrongPresses,
		"Row089 an answer after the end is refused":           tooLate,
		"Row090 W15 a restart forgets nothing":                restart,
		"Row091 an update that comes again is worked on once": redelivery,
		"Row092 strangers are ignored":                        strangersAreIgnored,
		"W17 two presses at once consume once":                twoPresses,
		"a passing failure is retried":                        failures,
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, setup: open(t), dir: t.TempDir()}
			w.start()
			t.Cleanup(func() { w.stop() })
			f(t, w)
		})
	}
}

// Name and Complete make the world a model: it does what the text says.
func (w *world) Name() string { return "world" }

func (w *world) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	w.mu.Lock()
	w.prompts = append(w.prompts, last.Text)
	w.mu.Unlock()
	if what, ok := strings.CutPrefix(last.Text, "do "); ok && last.Role == model.RoleUser {
		return model.Completion{Text: fmt.Sprintf(`(:type :request :payload (:tool "risky" :args (:what %q)))`, what)}, nil
	}
	if question, ok := strings.CutPrefix(last.Text, "ask "); ok && last.Role == model.RoleUser {
		return model.Completion{Text: fmt.Sprintf(
			`(:type :request :payload (:tool "ask_person" :args (:kind "answer" :question %q)))`, question)}, nil
	}
	return model.Completion{Text: "you said: " + last.Text}, nil
}

// start opens the engine and runs the bridge until stop.
func (w *world) start() {
	g := w.setup.Gateway()
	var accounts []gateways.Account
	for i, p := range w.setup.People[:2] {
		accounts = append(accounts, gateways.Account{Gateway: g.Name(), User: p.User, Chat: p.Chat,
			Principal: []string{"ann", "ben"}[i], Classes: []string{"operator"}})
	}
	e, err := cortex.Open(w.t.Context(), cortex.Options{
		Clock: cortex.ClockOptions{Now: func() time.Time { return time.Now().Add(time.Duration(w.late.Load())) }},
		Dir:   w.dir, Live: true, Logger: w.logger(), Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Models: cortex.Models{Providers: []model.Provider{w}},
		Tools:  []act.Tool{{Schema: &skills.Tool{Name: "risky"}, Actuator: act.Func(w.act)}},
	})
	require.NoError(w.t, err)
	d, err := gateways.New(gateways.Options{Engine: e, Gateways: []gateways.Gateway{g}, Accounts: accounts,
		Backoff: time.Millisecond, Logger: w.logger()})
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	w.engine = e
	w.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(w.t, <-ended)
		assert.NoError(w.t, e.Close())
	})
}

func (w *world) act(_ context.Context, c act.Call) (act.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = append(w.done, c.Action.Args().GetText("what"))
	return act.Receipt{State: act.Done, Result: sexpr.Str("did " + c.Action.Args().GetText("what"))}, nil
}

func (w *world) did() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.done...)
}

// await waits until something is so. Its limit is for tests that hang, and no
// assertion about time.
func (w *world) await(what string, so func() bool) {
	w.t.Helper()
	require.Eventually(w.t, so, 20*time.Second, 2*time.Millisecond, what)
}

// shown waits for a message in a chat that passes, and returns it.
func (w *world) shown(p Person, what string, passes func(Message) bool) (found Message) {
	w.t.Helper()
	w.await(what, func() bool {
		for _, m := range w.setup.Service.Shown(p.Chat) {
			if passes(m) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// card waits for an open card in a chat.
func (w *world) card(p Person) Message {
	w.t.Helper()
	return w.shown(p, "an open card", func(m Message) bool { return m.Open })
}

// settled waits until nothing runs in the engine. What the bridge is about to begin
// does not count.
func (w *world) settled() {
	w.t.Helper()
	require.NoError(w.t, w.engine.Operations().Wait(w.t.Context()))
}

func has(text string) func(Message) bool {
	return func(m Message) bool { return strings.Contains(m.Text, text) }
}

func textIsAnswered(t *testing.T, w *world) {
	ann := w.setup.People[0]
	w.setup.Service.Write(ann.User, ann.Chat, "hello — grüße")
	w.shown(ann, "the answer", has("you said: hello — grüße"))
}

func strangersAreIgnored(t *testing.T, w *world) {
	ann, stranger := w.setup.People[0], w.setup.People[2]
	for _, p := range []Person{stranger, {stranger.User, ann.Chat}, {ann.User, stranger.Chat}} {
		w.setup.Service.Write(p.User, p.Chat, "let me in")
	}
	w.setup.Service.Write(ann.User, ann.Chat, "after them")
	w.shown(ann, "the answer", has("you said: after them"))
	assert.Empty(t, w.setup.Service.Shown(stranger.Chat))
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.Equal(t, []string{"after them"}, w.prompts, "row 92: no model was asked by a stranger")
}

func asking(t *testing.T, w *world) {
	ann := w.setup.People[0]
	w.setup.Service.Write(ann.User, ann.Chat, "do something")
	told := w.shown(ann, "that it waits, in the chat it came from", has("held for approval"))
	assert.Contains(t, told.Text, w.token())
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.Len(t, w.prompts, 1)
	assert.Empty(t, w.done)
}

// tooLate answers a card whose time is over.
func tooLate(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do it")
	c, token := w.card(ben), w.token()
	w.late.Add(int64(25 * time.Hour))
	w.setup.Service.Press(ben.User, ben.Chat, c.ID, c.Nonce, true)
	w.setup.Service.Write(ben.User, ben.Chat, "/approve "+token)
	w.shown(ben, "that it has expired", has("is expired"))
	w.shown(ben, "the closed card", func(m Message) bool {
		return m.ID == c.ID && !m.Open && strings.Contains(m.Text, "expired")
	})
	assert.Empty(t, w.did())
}

func cardIsPressed(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do something")
	w.shown(ann, "that it waits", has("held for approval"))
	c := w.card(ben)
	assert.Contains(t, c.Text, `"something"`)
	assert.Regexp(t, `[0-9]{4} [0-9]{4} [0-9]{4}`, c.Text)
	w.setup.Service.Press(ben.User, ben.Chat, c.ID, c.Nonce, true)
	w.shown(ann, "the result", has("did something"))
	w.shown(ben, "the closed card", func(m Message) bool {
		return m.ID == c.ID && !m.Open && strings.Contains(m.Text, "approved by ben")
	})
	w.setup.Service.Press(ben.User, ben.Chat, c.ID, c.Nonce, true)
	w.setup.Service.Write(ben.User, ben.Chat, "still there?")
	w.shown(ben, "the answer", has("still there?"))
	assert.Equal(t, []string{"something"}, w.did())
}

func cardIsDenied(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do harm")
	one, two := w.card(ann), w.card(ben)
	w.setup.Service.Press(ann.User, ann.Chat, one.ID, one.Nonce, false)
	for _, m := range []struct {
		p  Person
		id string
	}{{ann, one.ID}, {ben, two.ID}} {
		w.shown(m.p, "the closed card", func(x Message) bool {
			return x.ID == m.id && !x.Open && strings.Contains(x.Text, "denied by ann")
		})
	}
	w.await("the model is told", func() bool { // which may come after the cards are closed
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(w.prompts[len(w.prompts)-1], "refused")
	})
	w.setup.Service.Press(ben.User, ben.Chat, two.ID, two.Nonce, true)
	w.setup.Service.Write(ben.User, ben.Chat, "too late?")
	w.shown(ben, "the answer", has("too late?"))
	assert.Empty(t, w.did(), "row 87")
}

func answerIsTyped(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do one")
	w.card(ben)
	token := w.token()
	w.setup.Service.Write(ben.User, ben.Chat, "/approve nope")
	w.shown(ben, "unknown", has("unknown token"))
	w.setup.Service.Write(ben.User, ben.Chat, "/approve "+token)
	w.shown(ann, "the result", has("did one"))
	w.setup.Service.Write(ann.User, ann.Chat, "do two")
	w.await("the second card", func() bool { return w.token() != "" })
	w.setup.Service.Write(ben.User, ben.Chat, "/deny\n"+w.token()+"\u00a0\nnot today")
	w.shown(ann, "the reason", has("not today"))
	assert.Equal(t, []string{"one"}, w.did())
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.prompts {
		assert.NotContains(t, p, "/approve", "row 88: no command reaches a model")
		assert.NotContains(t, p, "/deny")
	}
}

func questionIsAnswered(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "ask what is it called?")
	c, token := w.card(ben), w.token()
	assert.Contains(t, c.Text, `"what is it called?"`)
	assert.Contains(t, c.Text, "/answer "+token+" and your words")
	w.setup.Service.Press(ben.User, ben.Chat, c.ID, c.Nonce, true)
	w.setup.Service.Write(ben.User, ben.Chat, "/approve "+token)
	w.shown(ben, "that a yes is no answer", has("a yes does not answer this question"))
	w.setup.Service.Write(ben.User, ben.Chat, "/answer "+token)
	w.shown(ben, "that words are missing", has("an answer has words"))
	assert.Equal(t, token, w.token(), "it still waits")
	w.setup.Service.Write(ben.User, ben.Chat, "/answer "+token+" Rex the Second")
	w.shown(ann, "the result", has("you said: Rex the Second"))
	w.shown(
		ben,
		"the closed card",
		func(m Message) bool { return m.ID == c.ID && !m.Open && strings.Contains(m.Text, "answered") },
	)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.prompts {
		assert.NotContains(t, p, "/answer", "row 88: no command reaches a model")
	}
}

// token is the oldest one that waits; "" for none.
func (w *world) token() string {
	for a, err := range w.engine.Pending(w.t.Context()) {
		require.NoError(w.t, err)
		return a.Token
	}
	return ""
}

func wrongPresses(t *testing.T, w *world) {
	ann, ben, stranger := w.setup.People[0], w.setup.People[1], w.setup.People[2]
	s := w.setup.Service
	s.Write(ann.User, ann.Chat, "do it")
	one, two := w.card(ann), w.card(ben)
	s.Press(stranger.User, ben.Chat, two.ID, two.Nonce, true)      // another user in the right chat
	s.Press(stranger.User, stranger.Chat, two.ID, two.Nonce, true) // forwarded
	s.Press(ben.User, ann.Chat, one.ID, one.Nonce, true)           // a listed user in a foreign chat
	s.Press(ben.User, ben.Chat, one.ID+"0", one.Nonce, true)       // no such message
	if two.Nonce != "" {
		s.Press(ben.User, ben.Chat, two.ID, one.Nonce, true)     // another card's nonce
		s.Press(ben.User, ben.Chat, two.ID, two.Nonce+"x", true) // a made-up one
	}
	s.Write(ben.User, ben.Chat, "after them")
	w.shown(ben, "the answer", has("after them"))
	assert.Empty(t, w.did())
	assert.NotEmpty(t, w.token(), "it still waits")
	s.Press(ben.User, ben.Chat, two.ID, two.Nonce, true)
	w.await("the effect", func() bool { return len(w.did()) == 1 })
}

func twoPresses(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do it")
	one, two := w.card(ann), w.card(ben)
	var wg sync.WaitGroup
	wg.Go(func() { w.setup.Service.Press(ann.User, ann.Chat, one.ID, one.Nonce, true) })
	wg.Go(func() { w.setup.Service.Press(ben.User, ben.Chat, two.ID, two.Nonce, true) })
	wg.Wait()
	w.shown(ann, "the result", has("did it"))
	w.setup.Service.Write(ben.User, ben.Chat, "and now?")
	w.shown(ben, "the answer", has("and now?"))
	w.settled()
	assert.Equal(t, []string{"it"}, w.did())
}

func restart(t *testing.T, w *world) {
	ann, ben := w.setup.People[0], w.setup.People[1]
	w.setup.Service.Write(ann.User, ann.Chat, "do it")
	c := w.card(ben)
	var digest string
	for a, err := range w.engine.Pending(t.Context()) {
		require.NoError(t, err)
		digest = a.Action.Digest().String()
	}
	w.await("both cards on record", func() bool {
		all, err := w.engine.Approvals().Postings(w.token())
		return err == nil && len(all) == 2 && all[0].Message != "" && all[1].Message != ""
	})
	w.stop()
	w.setup.Service.Press(ben.User, ben.Chat, c.ID, c.Nonce, true) // while the gateway is away
	w.setup.Service.Write(ann.User, ann.Chat, "are you there?")
	w.start()
	w.shown(ann, "the result", has("did it"))
	w.shown(ann, "the answer", has("are you there?"))
	assert.Contains(t, c.Text, digest, "row 90: the same digest")
	assert.Equal(t, []string{"it"}, w.did())
	cards := 0
	for _, m := range w.setup.Service.Shown(ben.Chat) {
		if strings.Contains(m.Text, "approval ") {
			cards++
		}
	}
	assert.Equal(t, 1, cards, "one card, not one for each start")
}

func redelivery(t *testing.T, w *world) {
	ann := w.setup.People[0]
	w.setup.Service.Write(ann.User, ann.Chat, "once")
	w.shown(ann, "the answer", has("you said: once"))
	w.setup.Service.Redeliver()
	w.stop()
	w.start()
	w.setup.Service.Redeliver()
	w.setup.Service.Write(ann.User, ann.Chat, "then")
	w.shown(ann, "the answer", has("you said: then"))
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.Equal(t, []string{"once", "then"}, w.prompts, "row 91")
}

func failures(t *testing.T, w *world) {
	ann := w.setup.People[0]
	w.setup.Service.Fail(3)
	w.setup.Service.Write(ann.User, ann.Chat, "do it")
	w.card(ann)
	w.setup.Service.Fail(2)
	w.setup.Service.Write(ann.User, ann.Chat, "/approve "+w.token())
	w.shown(ann, "the result", has("did it"))
}

// ErrPassing is what a fake may answer with when it was told to [Service.Fail].
var ErrPassing = errors.New("the service is not available at the moment")

// logger shows what engine and bridge say, where the test fails or -v is given.
func (w *world) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
}
