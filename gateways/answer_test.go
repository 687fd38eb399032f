package gateways

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// An answer that could not be put on record is an error, so that its update comes
// again, and is not told as given.
func TestAnAnswerThatIsNotOnRecordIsNotTold(t *testing.T) {
	d, a := asking(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, approve := range []bool{true, false} {
		text, err := d.decide(ctx, named{name: "one"}, Account{Principal: "ann"},
			perceive.Answer{Token: a.Token, Approve: approve})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, text)
	}
}

// asking is a bridge in front of an engine with one approval that waits.
func asking(t *testing.T, accounts ...Account) (*Bridge, *cortex.Approval) {
	t.Helper()
	e, err := cortex.Open(t.Context(),
		cortex.Options{Dry: true, Rules: fstest.MapFS{"r.lisp": {Data: []byte(`(deftool x :tier :ask)`)}}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	a, err := cortex.NewAction("x", sexpr.EmptyObject(), "")
	require.NoError(t, err)
	d, err := e.Decide(t.Context(), a, &cortex.Facts{Session: skills.Session{ID: "s", Principal: "ann"}})
	require.NoError(t, err)
	card, err := e.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	return &Bridge{opt: Options{Engine: e, Accounts: accounts}, work: make(chan struct{}, 1),
		refused: map[[3]string]cortex.Posting{}}, card
}

// A card goes to those who may answer it on this gateway, once a chat, and not to the requester.
func TestApprovers(t *testing.T) {
	operator := []string{"operator"}
	d, a := asking(t, Account{"one", "1", "c1", "ann", nil, operator}, Account{"one", "2", "c2", "ben", nil, operator},
		Account{"one", "3", "c2", "dan", nil, operator},
		Account{"one", "4", "c4", "eve", nil, nil}, Account{"two", "2", "c5", "ben", nil, operator})
	require.Equal(t, "ann", a.Requester)
	assert.Equal(t, []string{"c2"}, d.approvers(named{name: "one"}, a))
	assert.Equal(t, []string{"c5"}, d.approvers(named{name: "two"}, a))
}

// Before a card is shown its nonce is on record: who presses it at once is known.
func TestPosting_IsOnRecordFirst(t *testing.T) {
	d, a := asking(t)
	p, err := d.posting(t.Context(), named{name: "one"}, a, "c1")
	require.NoError(t, err)
	all, err := d.opt.Engine.Approvals().Postings(a.Token)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, p.Nonce, all[0].Nonce)
	assert.NotEmpty(t, p.Nonce)
}

// A message that the engine refuses gives its place to the next.
func TestSay_ARefusedMessageKeepsNoPlace(t *testing.T) {
	d, _ := asking(t)
	for range 2 {
		require.Error(t, d.say(t.Context(), named{name: "one"}, Update{ID: "1", Chat: "\x00", Text: "hi"},
			Account{Principal: "ben"}, cortex.Cursor{}))
		require.Empty(t, d.work)
	}
}

// heard is a gateway that remembers where it said something.
type heard struct {
	named
	chats *[]string
}

func (h heard) Say(_ context.Context, chat, _ string) error {
	*h.chats = append(*h.chats, chat)
	return nil
}

// An answer goes to the chat that its session is, if that is still on the list for this gateway.
func TestReply_ToChatsOfTheListAlone(t *testing.T) {
	var chats []string
	g := heard{named{name: "one"}, &chats}
	d := &Bridge{opt: Options{Accounts: []Account{{Gateway: "one", User: "1", Chat: "c1"},
		{Gateway: "two", User: "2", Chat: "c2"}}}}
	for _, session := range []string{"one/c1", "one/c2", "one/c3", "two/c1", "two/c2", "s"} {
		require.NoError(t, d.reply(t.Context(), g,
			cortex.Record{Kind: "answer", Session: session, Body: sexpr.Plist("text", sexpr.Str("hi"))}))
	}
	assert.Equal(t, []string{"c1"}, chats)
}
