package telegram_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
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
	"github.com/opencortex-go/cortex/gateways/telegram"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

var people = [3]gatewaytest.Person{{User: "1001", Chat: "1001"}, {User: "1002", Chat: "-100200"},
	{User: "6666", Chat: "6666"}}

func gateway(t testing.TB, s *telegramtest.Server, change ...func(*telegram.Options)) *telegram.Gateway {
	t.Helper()
	opt := telegram.Options{Token: telegramtest.Token, Poll: 5 * time.Second, Backoff: time.Millisecond}
	if s != nil {
		opt.URL = s.URL
	}
	for _, f := range change {
		f(&opt)
	}
	g, err := telegram.New(opt)
	require.NoError(t, err)
	return g
}

func TestByPolling(t *testing.T) {
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Setup {
		s := telegramtest.New()
		t.Cleanup(s.Close)
		return gatewaytest.Setup{Gateway: func() gateways.Gateway { return gateway(t, s) }, Service: s, People: people}
	})
}

const secret = "a-Secret_256"

// hooked is a web server that hands on to whichever gateway runs at the moment.
func hooked(t *testing.T, s *telegramtest.Server) func() gateways.Gateway {
	var mu sync.Mutex
	now := http.NotFoundHandler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := now
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	call(t, s, "setWebhook", `{"url":"`+web.URL+`","secret_token":"`+secret+`"}`)
	return func() gateways.Gateway {
		g := gateway(t, s, func(o *telegram.Options) { o.Secret = secret })
		mu.Lock()
		now = g.Webhook()
		mu.Unlock()
		return g
	}
}

func call(t *testing.T, s *telegramtest.Server, method, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL+"/bot"+telegramtest.Token+"/"+method, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, b.String()
}

func TestByWebhook(t *testing.T) {
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Setup {
		s := telegramtest.New()
		t.Cleanup(s.Close)
		return gatewaytest.Setup{Gateway: hooked(t, s), Service: s, People: people}
	})
}

// The webhook accepts requests only from the service, with its secret.
func TestWebhookWithoutTheSecretIsNotRead(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	g := gateway(t, s, func(o *telegram.Options) { o.Secret = secret })
	handled := 0
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- g.Receive(ctx, 0, func(context.Context, gateways.Update) error { handled++; return nil })
	}()
	post := func(header, body, method string) int {
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		if header != "" {
			r.Header.Set("X-Telegram-Bot-Api-Secret-Token", header)
		}
		w := httptest.NewRecorder()
		g.Webhook().ServeHTTP(w, r)
		return w.Code
	}
	const body = `{"update_id":5,"message":{"message_id":1,"from":{"id":1},"chat":{"id":1},"text":"hi"}}`
	require.Eventually(t, func() bool {
		return post(secret, body, http.MethodPost) == http.StatusOK
	}, 10*time.Second, time.Millisecond)
	n := handled
	for _, wrong := range []string{"", "x", secret + "x", strings.ToLower(secret), secret[:5]} {
		assert.Equal(t, http.StatusUnauthorized, post(wrong, body, http.MethodPost), wrong)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, post(secret, "", http.MethodGet))
	for _, bad := range []string{"", "{", `{"update_id":0}`, `[]`} {
		assert.Equal(t, http.StatusBadRequest, post(secret, bad, http.MethodPost), bad)
	}
	assert.Equal(t, n, handled)
	cancel()
	assert.ErrorIs(t, <-done, context.Canceled)
	assert.Equal(t, http.StatusServiceUnavailable, post(secret, body, http.MethodPost),
		"not taken while it is not recorded")
	polling := gateway(t, s)
	w := httptest.NewRecorder()
	polling.Webhook().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	assert.Equal(t, http.StatusUnauthorized, w.Code, "no secret means no webhook")
}

// The offset moves only behind what was handled.
func TestAnUpdateIsConfirmedOnlyWhenItWasHandled(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	g := gateway(t, s)
	for i := range 3 {
		s.Write("1001", "1001", fmt.Sprint("message ", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []string
	err := g.Receive(ctx, 0, func(_ context.Context, u gateways.Update) error {
		seen = append(seen, u.Text)
		assert.Positive(t, s.Pending(), "what is being handled is not confirmed")
		switch len(seen) {
		case 2:
			return errors.New("the disk is full")
		case 4:
			cancel()
		}
		return nil
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"message 0", "message 1", "message 1", "message 2"}, seen)
}

// Forwarded messages, and messages in another's name, are not read.
func TestForwardedAndBorrowedWordsAreNotRead(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	g := gateway(t, s)
	object := map[string]any{"type": "hidden_user"}
	s.WriteWith("1001", "1001", "/approve T", map[string]any{"forward_origin": object})
	s.WriteWith("1001", "-100200", "as the group", map[string]any{"sender_chat": object})
	s.WriteWith("1001", "1001", "through a bot", map[string]any{"via_bot": object})
	s.WriteWith("1001", "1001", "from a bot", map[string]any{"from": map[string]any{"id": 1001, "is_bot": true}})
	s.PressData("1001", "1001", "5", "neither")
	s.PressData("1001", "1001", "5", "")
	// Before version 7.0 of the Bot API, which a server of one's own may speak.
	old := map[string]any{"forward_from": object, "forward_from_chat": object, "forward_from_message_id": 7,
		"forward_signature":   "x",
		"forward_sender_name": "Ann", "forward_date": 1700000000, "is_automatic_forward": true}
	for _, field := range slices.Sorted(maps.Keys(old)) {
		s.WriteWith("1001", "1001", "/approve T", map[string]any{field: old[field]})
	}
	s.WriteWith("1001", "1001", "my own", map[string]any{"forward_origin": nil, "forward_date": nil})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var updates []gateways.Update
	_ = g.Receive(ctx, 0, func(_ context.Context, u gateways.Update) error {
		updates = append(updates, u)
		if u.Text != "" {
			cancel()
		}
		return nil
	})
	require.Len(t, updates, 7+len(old))
	for _, u := range updates[:6+len(old)] {
		assert.Empty(t, u.Text)
		if u.Press != nil {
			assert.Equal(t, "-", u.Press.Nonce)
			assert.False(t, u.Press.Approve)
		}
	}
	assert.Equal(t, "my own", updates[6+len(old)].Text)
	assert.Empty(t, updates[3].User)
}

// A wrong token ends the gateway with an error that does not hold it; two
// readers, limits and outages do not.
func TestTrouble(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	g := gateway(t, s, func(o *telegram.Options) { o.Token = "123456:REVOKED-token" })
	err := g.Receive(t.Context(), 0, nil)
	assert.ErrorIs(t, err, telegram.ErrToken)
	assert.NotContains(t, err.Error(), "REVOKED")

	var log lockedBuffer
	g = gateway(t, s, func(o *telegram.Options) {
		o.URL = "http://127.0.0.1:1"
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.Error(t, g.Receive(ctx, 0, nil))
	assert.Contains(t, log.String(), "asked for again")
	assert.NotContains(t, log.String(), "TEST-token")

	g = gateway(t, s)
	s.Limit(1, 0)
	var retry *gateways.RetryAfter
	assert.ErrorAs(t, g.Say(t.Context(), "1001", "x"), &retry)
	require.NoError(t, g.Say(t.Context(), "1001", "x"))
	var permanent *gateways.Permanent
	assert.ErrorAs(t, g.Say(t.Context(), "no number", "x"), &permanent)
	assert.ErrorAs(t, g.Say(t.Context(), "1001", "  "), &permanent)
	assert.ErrorAs(t, g.Close(t.Context(), "1001", "99999", card.Card{}, "gone"), &permanent)
	require.NoError(t, g.Say(t.Context(), "1001", strings.Repeat("é", 5000)), "a long text is cut")

	// Two gateways on one bot: one of them reads, and neither ends.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	got := make(chan string, 10)
	var wg sync.WaitGroup
	for range 2 {
		other := gateway(t, s)
		wg.Go(func() {
			err := other.Receive(ctx, 0, func(_ context.Context, u gateways.Update) error { got <- u.Text; return nil })
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
	s.Write("1001", "1001", "who reads?")
	assert.Equal(t, "who reads?", <-got)
	cancel()
	wg.Wait()
}

func TestOptions(t *testing.T) {
	for _, token := range []string{"", "123456", ":x", "1:", "1:a/b", "1:a b", "1:a?b"} {
		_, err := telegram.New(telegram.Options{Token: token})
		assert.ErrorContains(t, err, "BotFather", token)
	}
	for _, s := range []string{"ä", "a b", strings.Repeat("a", 257)} {
		_, err := telegram.New(telegram.Options{Token: telegramtest.Token, Secret: s})
		assert.ErrorContains(t, err, "secret")
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A card of a plan that has no room for all its steps comes without buttons, and names no message that
// could be answered.
func TestACardWithoutRoomHasNoButtons(t *testing.T) {
	s := telegramtest.New()
	defer s.Close()
	g := gateway(t, s)
	action, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(strings.Repeat("v", 3000))), "")
	require.NoError(t, err)
	a := &cortex.Approval{Token: "tok", State: cortex.Pending, Action: action}
	for _, steps := range []int{1, 2} {
		a.Plan = append(a.Plan, skills.Of{Step: fmt.Sprint("s", steps), Action: action})
		a.Slots = append(a.Slots, cortex.ApprovalSlot{Class: "operator", Quorum: 1, Of: &a.Plan[steps-1]})
		id, err := g.Show(t.Context(), "1001", card.New(a, "123456789012", card.Options{}), "nonce")
		require.NoError(t, err)
		shown := s.Shown("1001")
		last := shown[len(shown)-1]
		assert.Equal(t, steps == 1, id != "")
		assert.Equal(t, steps == 1, last.Open)
		assert.Equal(t, steps == 2, strings.Contains(last.Text, "cortex approvals show tok has all of it"))
	}
}
