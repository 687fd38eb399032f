package gateways_test

import (
	"bytes"
	"context"
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
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// Bugs of approvals in chats that others paid for, each in our terms. The engine's
// share of them is TestOthersBugs in package cortex.

// called is a messenger by another name, so that there can be two.
type called struct {
	*gatewaytest.Memory
	name string
}

func (c called) Name() string { return c.name }

// office is an engine behind several messengers, whose bridge can be opened again with
// another allow-list.
type office struct {
	t      *testing.T
	engine *cortex.Engine
	a, b   *gatewaytest.Memory
	log    lockedText
	close  func()
}

// riskyAsTold wants to do what it is told.
func riskyAsTold(_ context.Context, p model.Prompt) string {
	last := p.Messages[len(p.Messages)-1]
	if last.Role != model.RoleUser || !strings.HasPrefix(last.Text, "do ") {
		return "well"
	}
	return fmt.Sprintf(`(:type :request :payload (:tool "risky" :args (:what %q)))`, last.Text)
}

type lockedText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newOffice(t *testing.T, accounts ...gateways.Account) *office {
	t.Helper()
	return officeOf(t, func(*cortex.Options) {}, accounts...)
}

func officeOf(t *testing.T, change func(*cortex.Options), accounts ...gateways.Account) *office {
	t.Helper()
	o := &office{t: t, a: gatewaytest.NewMemory(), b: gatewaytest.NewMemory(), close: func() {}}
	opt := cortex.Options{
		Live: true, Models: cortex.Models{Providers: []model.Provider{modelFunc{riskyAsTold}}},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(deftool risky :params (:what string) :tier :ask :effect " +
			":external)\n" +
			"(defskill grave :trigger (= action.args.what \"do it, both of you\") :gate ((ask two :quorum 2 :reason \"two " +
			"people\")))")}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "risky"},
			Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done}, nil
			})}},
	}
	change(&opt)
	var err error
	o.engine, err = cortex.Open(t.Context(), opt)
	require.NoError(t, err)
	t.Cleanup(func() {
		o.close()
		assert.NoError(t, o.engine.Close())
	})
	o.open([]gateways.Gateway{called{o.a, "a"}, called{o.b, "b"}}, accounts...)
	return o
}

// open runs a bridge in place of the one before.
func (o *office) open(list []gateways.Gateway, accounts ...gateways.Account) {
	o.t.Helper()
	o.close()
	d, err := gateways.New(gateways.Options{Engine: o.engine, Gateways: list, Accounts: accounts,
		Backoff: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&o.log, nil))})
	require.NoError(o.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	o.close = sync.OnceFunc(func() {
		cancel()
		assert.NoError(o.t, <-ended)
	})
}

func (o *office) await(what string, so func() bool) {
	o.t.Helper()
	require.Eventually(o.t, so, 20*time.Second, 2*time.Millisecond, what)
}

// pending waits for an approval, and for its card in a chat.
func (o *office) pending(m *gatewaytest.Memory, chat string) (*cortex.Approval, gatewaytest.Message) {
	o.t.Helper()
	var a *cortex.Approval
	var c gatewaytest.Message
	o.await("a card in "+chat, func() bool {
		for p, err := range o.engine.Pending(o.t.Context()) {
			require.NoError(o.t, err)
			a = p
		}
		for _, x := range m.Shown(chat) {
			if x.Open {
				c = x
			}
		}
		return a != nil && c.ID != ""
	})
	return a, c
}

func (o *office) state(a *cortex.Approval) cortex.ApprovalState {
	o.t.Helper()
	now, err := o.engine.Approvals().Get(o.t.Context(), a.Token)
	require.NoError(o.t, err)
	return now.State
}

// heard waits until everything that was written before has been handled.
func (o *office) heard(m *gatewaytest.Memory, user, chat string) {
	o.t.Helper()
	m.Write(user, chat, "/deny nothing")
	o.await("what comes behind", func() bool { return count(m, chat, "unknown token") > 0 })
}

func count(m *gatewaytest.Memory, chat, part string) (n int) {
	for _, x := range m.Shown(chat) {
		if strings.Contains(x.Text, part) {
			n++
		}
	}
	return n
}

func person(gateway, user, chat, name string, classes ...string) gateways.Account {
	return gateways.Account{Gateway: gateway, User: user, Chat: chat, Principal: name, Classes: classes}
}

// A private chat is not a way around an approval (openclaw 60260): the one who asks for
// it is told that it waits, and nothing runs, also where there is no approver at all.
func TestLesson_APrivateChatIsNoWayAroundAnApproval(t *testing.T) {
	o := newOffice(t, person("a", "1", "1", "ann"))
	o.a.Write("1", "1", "do it")
	o.await("that it waits", func() bool { return count(o.a, "1", "held for approval") > 0 })
	for a, err := range o.engine.Pending(t.Context()) {
		require.NoError(t, err)
		o.a.Write("1", "1", "/approve "+a.Token)
		o.heard(o.a, "1", "1")
		assert.Equal(t, cortex.Pending, o.state(a), "ann is in no class")
	}
	assert.Equal(t, 1, count(o.a, "1", "is in none of its classes"))
}

// A card goes to those who may answer it, once each, and to no other chat and no other
// bot (openclaw 53409, 112067).
func TestLesson_ACardIsNotFannedOut(t *testing.T) {
	o := newOffice(t, person("a", "1", "c1", "ann", "operator"), person("a", "2", "c2", "ben", "finance"),
		person("a", "3", "c3", "eve"),
		person("b", "1", "c1", "cy"), person("b", "4", "c4", "dan", "finance"))
	o.a.Write("3", "c3", "do it")
	a, _ := o.pending(o.a, "c1")
	o.await("that eve knows", func() bool { return count(o.a, "c3", "held for approval") > 0 })
	o.a.Write("1", "c1", "/deny "+a.Token)
	o.await("the closed card", func() bool { return count(o.a, "c1", "denied by ann") > 0 })
	o.heard(o.b, "1", "c1")
	assert.Equal(t, 1, count(o.a, "c1", "risky"), "the one card")
	for chat, m := range map[string]*gatewaytest.Memory{"c2": o.a, "c3": o.a, "c4": o.b} {
		for _, x := range m.Shown(chat) {
			assert.Empty(t, x.Nonce, "%s: %s", chat, x.Text)
		}
	}
	posted, err := o.engine.Approvals().Postings(a.Token)
	require.NoError(t, err)
	assert.Len(t, posted, 1)
}

// Who can see a card is not who may answer it (openclaw 68918): a listed person in the
// same group, without the class, presses the real button and types the real token.
func TestLesson_WhereACardStandsIsNotWhoMayAnswer(t *testing.T) {
	o := newOffice(t, person("a", "1", "group", "ann", "operator"), person("a", "2", "group", "eve"),
		person("b", "2", "c2", "eve"))
	o.a.Write("1", "group", "do it")
	a, c := o.pending(o.a, "group")
	o.a.Press("2", "group", c.ID, c.Nonce, true)
	o.a.Write("2", "group", "/approve "+a.Token)
	o.b.Write("2", "c2", "/approve "+a.Token)
	o.heard(o.b, "2", "c2")
	o.heard(o.a, "2", "group")
	assert.Equal(t, cortex.Pending, o.state(a))
	o.a.Press("1", "group", c.ID, c.Nonce, true)
	o.await("that it counts for ann", func() bool { return o.state(a) == cortex.Consumed })
}

// After a restart with another allow-list (openclaw 59620) a card that was shown before
// takes no answer of somebody who has been struck off; of those who are left it is known
// (openclaw 41364), and closed.
func TestLesson_AChangedListHoldsForOldCards(t *testing.T) {
	ann, ben := person("a", "1", "c1", "ann", "operator"), person("b", "2", "c2", "ben", "operator")
	o := newOffice(t, ann, ben)
	o.a.Write("1", "c1", "do it")
	a, old := o.pending(o.b, "c2")
	_, hers := o.pending(o.a, "c1")
	o.await("both cards on record", func() bool {
		all, err := o.engine.Approvals().Postings(a.Token)
		return err == nil && len(all) == 2 && all[0].Message != "" && all[1].Message != ""
	})
	list := []gateways.Gateway{called{o.a, "a"}, called{o.b, "b"}}
	moved := person("b", "5", "c5", "dan", "operator")
	o.open(list, ann, moved)
	o.b.Press("2", "c2", old.ID, old.Nonce, true)
	o.b.Write("2", "c2", "/approve "+a.Token)
	o.b.Press("5", "c5", old.ID, old.Nonce, true) // another person's card
	o.heard(o.b, "5", "c5")
	assert.Equal(t, cortex.Pending, o.state(a))
	o.a.Press("1", "c1", hers.ID, hers.Nonce, true)
	o.await("that ann's card is known", func() bool { return o.state(a) == cortex.Consumed })
	o.await("that ben's is closed", func() bool { return count(o.b, "c2", "approved by ann") == 1 })
}

// unreachable is a messenger that has blocked us.
type unreachable struct{ called }

func (unreachable) Show(context.Context, string, card.Card, string) (string, error) {
	return "", &gateways.Permanent{Err: gatewaytest.ErrPassing}
}

// An undeliverable card is not silent (hello-halo 314): the log says so, the one
// who asked knows that it waits, and it can be answered elsewhere.
func TestLesson_ACardThatReachesNobodyIsSaid(t *testing.T) {
	ann, ben := person("a", "1", "c1", "ann"), person("b", "2", "c2", "ben", "operator")
	o := newOffice(t, ann, ben)
	o.open([]gateways.Gateway{called{o.a, "a"}, unreachable{called{o.b, "b"}}}, ann, ben)
	o.a.Write("1", "c1", "do it")
	o.await("that it waits", func() bool { return count(o.a, "c1", "held for approval") > 0 })
	o.await("a line in the log", func() bool { return strings.Contains(o.log.String(), "a card cannot be shown") })
	for a, err := range o.engine.Pending(t.Context()) {
		require.NoError(t, err)
		o.b.Write("2", "c2", "/approve "+a.Token)
		o.await("that it counts", func() bool { return o.state(a) == cortex.Consumed })
	}
}

// Two accounts of one person are one person: a second messenger is not a second approver
// (teleport 27940).
func TestLesson_TwoMessengersAreOnePerson(t *testing.T) {
	o := newOffice(t, person("a", "1", "c1", "ann", "operator"), person("b", "1", "c1", "ann", "operator"),
		person("b", "2", "c2", "ben", "operator"))
	o.a.Write("1", "c1", "do it, both of you")
	a, one := o.pending(o.a, "c1")
	_, two := o.pending(o.b, "c1")
	_, bens := o.pending(o.b, "c2")
	o.a.Press("1", "c1", one.ID, one.Nonce, true)
	o.b.Press("1", "c1", two.ID, two.Nonce, true)
	o.b.Write("1", "c1", "/approve "+a.Token)
	o.await("that she has answered", func() bool { return count(o.b, "c1", "has already answered") > 0 })
	o.heard(o.a, "1", "c1")
	assert.Equal(t, cortex.Pending, o.state(a))
	o.b.Press("2", "c2", bens.ID, bens.Nonce, true)
	o.await("that two have answered", func() bool { return o.state(a) == cortex.Consumed })
}

// A card is closed in every chat, also where its approval has been used before a
// bridge came to tell of it.
func TestACardIsClosedThoughItWasUsedAtOnce(t *testing.T) {
	ann := person("a", "1", "c1", "ann", "operator")
	o := newOffice(t, ann)
	o.a.Write("1", "c1", "do it")
	a, _ := o.pending(o.a, "c1")
	o.await("the card is on record", func() bool {
		all, err := o.engine.Approvals().Postings(a.Token)
		return err == nil && len(all) == 1 && all[0].Message != ""
	})
	o.close()
	require.NoError(t, o.engine.Approve(t.Context(), a.Token,
		cortex.Approver{Name: "olga", Classes: []string{"operator"}, Via: "test"}))
	require.NoError(t, o.engine.Operations().Wait(t.Context()))
	require.Equal(t, cortex.Consumed, o.state(a))
	o.open([]gateways.Gateway{called{o.a, "a"}, called{o.b, "b"}}, ann)
	o.await("it is closed", func() bool { return count(o.a, "c1", "approved by olga") == 1 })
}

// deaf is a messenger that cannot change what it has shown while it is down.
type deaf struct {
	called
	down *atomic.Bool
}

func (d deaf) Close(ctx context.Context, chat, message string, c card.Card, outcome string) error {
	if d.down.Load() {
		return gatewaytest.ErrPassing
	}
	return d.called.Close(ctx, chat, message, c, outcome)
}

// A messenger that could not be reached for so long that retention has removed the card
// that it was to close goes on with what came after.
func TestAForgottenCardBlocksNothing(t *testing.T) {
	ann := person("a", "1", "c1", "ann", "operator")
	var ahead atomic.Int64 // of the clock, in hours
	var down atomic.Bool
	o := officeOf(t, func(opt *cortex.Options) {
		opt.Retain = cortex.Retain{Age: time.Hour}
		opt.Clock.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load()) * time.Hour) }
		opt.Clock.Uptime = func() (string, time.Duration) { return "", 0 }
	}, ann)
	o.open([]gateways.Gateway{deaf{called{o.a, "a"}, &down}}, ann)
	o.a.Write("1", "c1", "do it")
	a, _ := o.pending(o.a, "c1")
	o.heard(o.a, "1", "c1")
	down.Store(true)
	require.NoError(t, o.engine.Approve(t.Context(), a.Token,
		cortex.Approver{Name: "olga", Classes: []string{"operator"}, Via: "test"}))
	require.NoError(t, o.engine.Operations().Wait(t.Context()))
	o.await("that it cannot be closed", func() bool { return strings.Contains(o.log.String(), "is tried again") })
	ahead.Store(48)
	_, err := o.engine.Operations().Retain(t.Context())
	require.NoError(t, err)
	_, err = o.engine.Approvals().Get(t.Context(), a.Token)
	require.ErrorIs(t, err, cortex.ErrUnknownToken)
	require.Zero(t, count(o.a, "c1", "could not be judged"))
	o.a.Write("1", "c1", "hello")
	o.await("an answer to what came after", func() bool { return count(o.a, "c1", "could not be judged") > 0 })
}
