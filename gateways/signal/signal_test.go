package signal_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/gatewaytest"
	"github.com/opencortex-go/cortex/gateways/signal"
	"github.com/opencortex-go/cortex/gateways/signal/signaltest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const (
	ann      = "11111111-1111-4111-8111-111111111111"
	ben      = "22222222-2222-4222-8222-222222222222"
	stranger = "66666666-6666-4666-8666-666666666666"
)

func daemon(t testing.TB, network, address string) *signaltest.Daemon {
	t.Helper()
	d, err := signaltest.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	for _, p := range []string{ann, ben, stranger} {
		d.Meet(p)
	}
	return d
}

func gateway(t testing.TB, d *signaltest.Daemon, change ...func(*signal.Options)) *signal.Gateway {
	t.Helper()
	opt := signal.Options{Address: d.Addr(), UUID: signaltest.UUID, Backoff: time.Millisecond}
	for _, f := range change {
		f(&opt)
	}
	g, err := signal.New(opt)
	require.NoError(t, err)
	return g
}

func TestGateway(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *signaltest.Daemon{
		"unix, subscribed": func(t *testing.T) *signaltest.Daemon {
			return daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
		},
		"tcp, by itself": func(t *testing.T) *signaltest.Daemon {
			d := daemon(t, "tcp", "127.0.0.1:0")
			d.Manual = false
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			gatewaytest.Run(t, func(t *testing.T) gatewaytest.Setup {
				d := open(t)
				return gatewaytest.Setup{
					Gateway: func() gateways.Gateway { return gateway(t, d) }, Service: d,
					People: [3]gatewaytest.Person{{User: ann, Chat: ann}, {User: ben, Chat: "group:ZmFtaWx5"},
						{User: stranger, Chat: "group:c3RyYW5nZXJz"}},
				}
			})
		})
	}
}

// hear runs the gateway until a text "end" comes, and returns what came before.
func hear(t *testing.T, g *signal.Gateway, d *signaltest.Daemon, send func()) []gateways.Update {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out []gateways.Update
	send()
	d.Write(stranger, stranger, "end")
	err := g.Receive(ctx, 0, func(_ context.Context, u gateways.Update) error {
		if u.User == stranger {
			cancel()
			return nil
		}
		out = append(out, u)
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	return out
}

func TestReactionsAndQuotes(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	g := gateway(t, d)
	got := hear(t, g, d, func() {
		d.React(ann, ann, "5", "\U0001f44d", signaltest.UUID, false)
		d.React(ann, ann, "5", "\U0001f44e\U0001f3ff", signaltest.UUID, false)
		d.React(ann, ann, "5", "\U0001f44d", signaltest.UUID, true) // taken back: no answer, and no undoing
		d.React(ann, ann, "5", "\U0001f44d", ben, false)            // on somebody else's message
		d.React(ann, ann, "5", "\u2764", signaltest.UUID, false)    // a heart is not an answer
		d.Quote(ann, "group:x", "6", signaltest.UUID, "Yes.")
		d.Quote(ann, "group:x", "6", signaltest.UUID, "no too dear")
		d.Quote(ann, "group:x", "6", signaltest.UUID, "yes and more") // not a plain yes
		d.Quote(ann, "group:x", "6", ben, "yes")                      // to somebody else
		d.Write(ann, ann, "hello")
		d.Envelope(map[string]any{"sourceUuid": ann, "timestamp": 1, "syncMessage": map[string]any{}})
		d.Envelope(map[string]any{"sourceUuid": ann, "timestamp": 2,
			"editMessage": map[string]any{"dataMessage": map[string]any{"message": "edited"}}})
		d.Envelope(map[string]any{"sourceUuid": signaltest.UUID, "timestamp": 3,
			"dataMessage": map[string]any{"message": "me"}})
		d.Envelope(map[string]any{"sourceNumber": "+1555", "timestamp": 4,
			"dataMessage": map[string]any{"message": "no uuid"}})
		d.Envelope(map[string]any{"sourceUuid": ann, "timestamp": 5, "receiptMessage": map[string]any{}})
	})
	type seen struct{ chat, text, press, why string }
	var list []seen
	for _, u := range got {
		s := seen{chat: u.Chat, text: u.Text}
		if u.Press != nil {
			s.press, s.why = u.Press.Message+map[bool]string{true: " yes", false: " no"}[u.Press.Approve],
				u.Press.Reason
		}
		list = append(list, s)
	}
	assert.Equal(t, []seen{
		{ann, "", "5 yes", ""}, {ann, "", "5 no", ""}, {"group:x", "", "6 yes", ""}, {"group:x", "", "6 no",
			"too dear"},
		{"group:x", "yes and more", "", ""}, {"group:x", "yes", "", ""}, {ann, "hello", "", ""},
	}, list)
}

// A no counts whatever white space is behind it, or invisible character around it; a yes stands alone.
func TestANoAndItsReasonInAnyWhiteSpace(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	g := gateway(t, d)
	type said struct{ text, why string }
	var nos []said
	for _, space := range []string{" ", "\n", "\r\n", "\n\n", "\t", "\v", "\u00a0", "\u0085", "\u1680", "\u2003",
		"\u2028", "\u2029",
		"\u202f", "\u205f", "\u3000", "\u200b", " \ufeff\n"} {
		nos = append(nos, said{"no" + space + "too dear", "too dear"}, said{space + "Deny," + space + "too" + space +
			"dear",
			"too" + space + "dear"})
	}
	nos = append(nos, said{"no\n", ""}, said{"NO!", ""}, said{"no: too dear", "too dear"}, said{"no,too dear",
		"too dear"},
		said{"no.\n- too dear\n- too late", "- too dear\n- too late"})
	texts := []string{"yes\nbut tomorrow", "yes\u00a0but tomorrow", "approve\tit", "yes,\nall", "now\nplease",
		"nothing, thanks", "not",
		"none:\nof it"}
	got := hear(t, g, d, func() {
		for _, n := range nos {
			d.Quote(ann, ann, "6", signaltest.UUID, n.text)
		}
		for _, text := range texts {
			d.Quote(ann, ann, "6", signaltest.UUID, text)
		}
	})
	require.Len(t, got, len(nos)+len(texts))
	for i, n := range nos {
		require.NotNil(t, got[i].Press, "%q", n.text)
		assert.Equal(t, gateways.Press{Message: "6", Reason: n.why}, *got[i].Press, "%q", n.text)
	}
	for i, text := range texts {
		assert.Nil(t, got[len(nos)+i].Press, "%q", text)
		assert.Equal(t, text, got[len(nos)+i].Text)
	}
}

// A changed key suspends a person until an operator has verified it.
func TestChangedKeySuspends(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	g := gateway(t, d)
	one := func() gateways.Update {
		got := hear(t, g, d, func() { d.React(ann, ann, "5", "\U0001f44d", signaltest.UUID, false) })
		require.Len(t, got, 1)
		return got[0]
	}
	require.Empty(t, one().Suspended)
	d.NewKey(ann, "UNTRUSTED")
	u := one()
	assert.Contains(t, u.Suspended, "has changed and is not trusted")
	assert.Nil(t, u.Press)
	d.Trust(ann)
	assert.NotNil(t, one().Press, "trusted again by hand")
	d.NewKey(ann, "TRUSTED_UNVERIFIED") // where signal-cli trusts whatever comes
	assert.Contains(t, one().Suspended, "since this program started")
	d.Trust(ann)
	assert.Empty(t, one().Suspended)
	g = gateway(t, d, func(o *signal.Options) { o.Keys = map[string]string{ann: "another key"} })
	assert.Contains(t, one().Suspended, "not the pinned one")
}

// What cannot be recorded is kept, and the daemon may come and go.
func TestNothingIsLostBetweenDaemonAndRecord(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	g := gateway(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	var seen []string
	tries := 0
	ended := make(chan error, 1)
	go func() {
		ended <- g.Receive(ctx, 0, func(_ context.Context, u gateways.Update) error {
			mu.Lock()
			defer mu.Unlock()
			if tries++; tries < 4 {
				return errors.New("the disk is full")
			}
			seen = append(seen, u.Text)
			return nil
		})
	}()
	have := func(n int) func() bool {
		return func() bool { mu.Lock(); defer mu.Unlock(); return len(seen) == n }
	}
	d.Write(ann, ann, "one")
	require.Eventually(t, have(1), 20*time.Second, time.Millisecond)
	d.HangUp()
	d.Write(ann, ann, "two")
	require.Eventually(t, have(2), 20*time.Second, time.Millisecond)
	assert.Equal(t, []string{"one", "two"}, seen)
	cancel()
	assert.Error(t, <-ended)
}

func TestSending(t *testing.T) {
	d := daemon(t, "tcp", "127.0.0.1:0")
	g := gateway(t, d, func(o *signal.Options) { o.Account = signaltest.Number })
	require.NoError(t, g.Say(t.Context(), ann, "hi"))
	var permanent *gateways.Permanent
	assert.ErrorAs(t, g.Say(t.Context(), "nobody-0", "hi"), &permanent)
	d.Fail(1)
	err := g.Say(t.Context(), ann, "hi")
	require.Error(t, err)
	assert.False(t, errors.As(err, &permanent), "the network comes back")
	id, err := g.Show(t.Context(), ann, card.Card{Token: "tok"}, "nonce")
	require.NoError(t, err)
	d.TooOld()
	require.NoError(t, g.Close(t.Context(), ann, id, card.Card{Token: "tok"}, "approved by ben"))
	shown := d.Shown(ann)
	assert.Equal(t, "approval tok is approved by ben", shown[len(shown)-1].Text)
	d.NewKey(ann, "UNTRUSTED")
	assert.ErrorAs(t, g.Say(t.Context(), ann, "hi"), &permanent)
	other := gateway(t, d, func(o *signal.Options) { o.Account = "+1999" })
	assert.ErrorAs(t, other.Say(t.Context(), ann, "hi"), &permanent)
	_, err = signal.New(signal.Options{})
	assert.ErrorContains(t, err, "Address and Options.UUID")
	gone := gateway(t, d, func(o *signal.Options) { o.Address = filepath.Join(t.TempDir(), "none") })
	assert.ErrorContains(t, gone.Say(t.Context(), ann, "hi"), "signal-cli's daemon at")
}

// A changed key is on record before the others are told of it, and they are told
// from there: people still hear of it when the daemon could not be reached, or
// we have been killed, in between.
func TestAChangedKeyIsToldAfterARestart(t *testing.T) {
	d := daemon(t, "unix", filepath.Join(t.TempDir(), "s"))
	dir := t.TempDir()
	run := func(until func(*cortex.Engine)) {
		e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir})
		require.NoError(t, err)
		operator := []string{"operator"}
		bridge, err := gateways.New(gateways.Options{Engine: e, Gateways: []gateways.Gateway{gateway(t, d)},
			Backoff: time.Millisecond, Accounts: []gateways.Account{
				{Gateway: "signal", User: ann, Chat: ann, Principal: "ann", Classes: operator},
				{Gateway: "signal", User: ben, Chat: ben, Principal: "ben", Classes: operator},
			}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- bridge.Run(ctx) }()
		until(e)
		cancel()
		assert.NoError(t, <-ended)
		require.NoError(t, e.Close())
	}
	await := func(so func() bool) { require.Eventually(t, so, 20*time.Second, time.Millisecond) }
	run(func(e *cortex.Engine) {
		await(func() bool { n, err := e.Hosts().Cursors().Of("signal sent"); return err == nil && n > 0 })
		d.NewKey(ann, "UNTRUSTED")
		d.Fail(1 << 30) // whatever we send, until we are gone
		d.React(ann, ann, "5", "\U0001f44d", signaltest.UUID, false)
		await(func() bool {
			found := false
			err := e.Journal().Records(1, func(rec cortex.Record) error {
				found = found || rec.Kind == "signal"
				return nil
			})
			return err == nil && found
		})
	})
	require.Empty(t, d.Shown(ben))
	d.Fail(0)
	run(func(*cortex.Engine) { await(func() bool { return len(d.Shown(ben)) > 0 }) })
	assert.Contains(t, d.Shown(ben)[0].Text, "ann on signal is suspended: their key has changed and is not trusted")
	assert.Empty(t, d.Shown(ann))
}

// A card of a plan that has no room for all its steps says where it is answered, and names no message
// that a reaction could answer.
func TestACardWithoutRoomTakesNoReaction(t *testing.T) {
	d := daemon(t, "tcp", "127.0.0.1:0")
	g := gateway(t, d, func(o *signal.Options) { o.Account = signaltest.Number })
	action, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(strings.Repeat("v", 1000))), "")
	require.NoError(t, err)
	a := &cortex.Approval{Token: "tok", State: cortex.Pending, Action: action}
	for _, steps := range []int{1, 2} {
		a.Plan = append(a.Plan, skills.Of{Step: fmt.Sprint("s", steps), Action: action})
		a.Slots = append(a.Slots, cortex.ApprovalSlot{Class: "operator", Quorum: 1, Of: &a.Plan[steps-1]})
		id, err := g.Show(t.Context(), ann, card.New(a, "123456789012", card.Options{}), "nonce")
		require.NoError(t, err)
		shown := d.Shown(ann)
		last := shown[len(shown)-1].Text
		assert.Equal(t, steps == 1, id != "")
		assert.Equal(t, steps == 1, strings.Contains(last, "React to this message"))
		assert.Equal(t, steps == 2, strings.Contains(last, "cortex approvals show tok has all of it"))
	}
}
