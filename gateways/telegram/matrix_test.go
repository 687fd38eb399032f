package telegram_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/telegram"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// press is what a press on a card brings along. All of it must fit.
type press struct{ secret, user, chat, message, nonce string }

// deskOf is a real engine and bridge behind a webhook, with two operators and one
// listed person who may not approve; eve shares ben's group.
type deskOf struct {
	t      *testing.T
	s      *telegramtest.Server
	engine *cortex.Engine
	hook   http.Handler
	ran    atomic.Int64
	next   int64
}

func bridge(t *testing.T) *deskOf {
	t.Helper()
	d := &deskOf{t: t, s: telegramtest.New(), next: 1}
	t.Cleanup(d.s.Close)
	var err error
	d.engine, err = cortex.Open(t.Context(), cortex.Options{
		Live: true,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(
			"(deftool risky :params (:what string) :tier :ask :effect :external)")}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "risky"},
			Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
				d.ran.Add(1)
				return act.Receipt{State: act.Done}, nil
			})}},
		Models: cortex.Models{Providers: []model.Provider{asksFor{}}},
	})
	require.NoError(t, err)
	g := gateway(t, d.s, func(o *telegram.Options) { o.Secret = secret })
	d.hook = g.Webhook()
	run, err := gateways.New(gateways.Options{Engine: d.engine, Gateways: []gateways.Gateway{g}, Backoff: time.Millisecond,
		Accounts: []gateways.Account{
			{Gateway: "telegram", User: "1001", Chat: "1001", Principal: "ann", Classes: []string{"operator"}},
			{Gateway: "telegram", User: "1002", Chat: "-100200", Principal: "ben", Classes: []string{"operator"}},
			{Gateway: "telegram", User: "1003", Chat: "-100200", Principal: "eve"},
		}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, d.engine.Close())
	})
	return d
}

// asksFor is a model that wants what it is told.
type asksFor struct{}

func (asksFor) Name() string { return "model" }

func (asksFor) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role != model.RoleUser || !strings.HasPrefix(last.Text, "do ") {
		return model.Completion{Text: "well"}, nil
	}
	return model.Completion{Text: `(:type :request :payload (:tool "risky" :args (:what ` + strconv.Quote(last.Text) +
		`)))`}, nil
}

// update brings an update to the webhook, and returns the status.
func (d *deskOf) update(secret string, object map[string]any) int {
	object["update_id"] = d.next
	d.next++
	raw, err := json.Marshal(object)
	require.NoError(d.t, err)
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(raw)))
	if secret != "" {
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	}
	w := httptest.NewRecorder()
	d.hook.ServeHTTP(w, r)
	return w.Code
}

func (d *deskOf) press(p press) int {
	return d.update(p.secret, map[string]any{"callback_query": map[string]any{
		"id": "1", "from": map[string]any{"id": json.Number(p.user)}, "data": "a:" + p.nonce,
		"message": map[string]any{"message_id": json.Number(p.message), "chat": map[string]any{"id": json.Number(p.chat)}},
	}})
}

// ask lets ann have an action that has to be approved, and returns its token and the
// cards that stand for it, ann's and ben's.
func (d *deskOf) ask(what string, known ...string) (token string, ann, ben cortex.Posting) {
	d.t.Helper()
	object := func() map[string]any {
		return map[string]any{"message": map[string]any{"message_id": 1, "from": map[string]any{"id": 1001},
			"chat": map[string]any{"id": 1001}, "text": what}}
	}
	require.Eventually(d.t, func() bool {
		return d.update(secret, object()) == http.StatusOK
	}, 20*time.Second, time.Millisecond, "the gateway listens")
	require.Eventually(d.t, func() bool {
		for a, err := range d.engine.Pending(d.t.Context()) {
			require.NoError(d.t, err)
			if posted, _ := d.engine.Approvals().Postings(a.Token); !slices.Contains(known, a.Token) && len(posted) == 2 &&
				posted[0].Message != "" && posted[1].Message != "" {
				token, ann, ben = a.Token, posted[0], posted[1]
				if ann.Chat != "1001" {
					ann, ben = ben, ann
				}
			}
		}
		return token != ""
	}, 20*time.Second, time.Millisecond, "two cards")
	return token, ann, ben
}

func (d *deskOf) state(token string) cortex.ApprovalState {
	d.t.Helper()
	a, err := d.engine.Approvals().Get(d.t.Context(), token)
	require.NoError(d.t, err)
	return a.State
}

// Every wrong combination of secret, user, chat, message and nonce is refused, with
// each of them missing, made up, another person's, and another card's. What is right
// is said here a second time: a person's own card, in its chat, with its nonce.
func TestW18_EveryWrongCombinationIsRefused(t *testing.T) {
	crashtest.Long(t)
	d := bridge(t)
	one, ann1, ben1 := d.ask("do one")
	two, ann2, ben2 := d.ask("do two", one)
	owner := map[string]string{"1001": "1001", "1002": "-100200"} // user and chat of who may approve
	tried, skipped := 0, 0
	for _, s := range []string{secret, "", secret + "x", strings.ToUpper(secret)} {
		for _, user := range []string{"1002", "1001", "1003", "6666", "0"} {
			for _, chat := range []string{"-100200", "1001", "1002", "6666"} {
				for _, message := range []string{ben1.Message, ann1.Message, ben2.Message, "0", ben1.Message + "0"} {
					for _, nonce := range []string{ben1.Nonce, ann1.Nonce, ben2.Nonce, ann2.Nonce, ben1.Nonce[1:],
						strings.ToLower(ben1.Nonce), one, ""} {
						right := slices.ContainsFunc([]cortex.Posting{ann1, ben1, ann2, ben2}, func(p cortex.Posting) bool {
							return p.Chat == chat && p.Message == message && p.Nonce == nonce
						})
						if s == secret && owner[user] == chat && right {
							skipped++
							continue
						}
						tried++
						p := press{s, user, chat, message, nonce}
						if want := d.press(p); s != secret {
							require.Equal(t, http.StatusUnauthorized, want, "%+v", p)
						}
						require.Equal(t, []cortex.ApprovalState{cortex.Pending, cortex.Pending},
							[]cortex.ApprovalState{d.state(one), d.state(two)}, "%+v", p)
					}
				}
			}
		}
	}
	assert.Zero(t, d.ran.Load())
	assert.Equal(t, 3, skipped, "ann's card and both of ben's")
	t.Logf("%d wrong combinations, 0 accepted", tried)

	// And the right ones are taken: the test would see a press that counts.
	require.Equal(t, http.StatusOK, d.press(press{secret, "1002", "-100200", ben1.Message, ben1.Nonce}))
	require.Equal(t, http.StatusOK, d.press(press{secret, "1001", "1001", ann2.Message, ann2.Nonce}))
	require.Eventually(t, func() bool { return d.ran.Load() == 2 }, 20*time.Second, time.Millisecond)
	assert.Equal(t, []cortex.ApprovalState{cortex.Consumed, cortex.Consumed},
		[]cortex.ApprovalState{d.state(one), d.state(two)})
}
