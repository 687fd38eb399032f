package engine

import (
	"testing"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCursorMovesWithTheSignal(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, testRules, "", func(o *Options) { o.Dir = dir })
	at := func() int64 {
		n, err := b.Hosts().Cursors().Of("telegram")
		require.NoError(t, err)
		return n
	}
	assert.Zero(t, at())
	sig := Signal{Sensor: "noted", Source: "telegram", Key: "7", Text: "hi"}
	a, err := b.Hosts().Cursors().Accept(t.Context(), sig, session.Cursor{Source: "telegram", At: 8})
	require.NoError(t, err)
	assert.Equal(t, int64(8), at())
	_, err = a.Answer(t.Context())
	require.NoError(t, err)
	b.reopen()
	assert.Equal(t, int64(8), at())
	again, err := b.Hosts().Cursors().Accept(t.Context(), sig, session.Cursor{Source: "telegram", At: 8})
	require.NoError(t, err)
	assert.True(t, again.Repeat)
	assert.Equal(t, a.Signal, again.Signal)
	require.NoError(t, b.Hosts().Cursors().Advance(t.Context(), session.Cursor{Source: "telegram", At: 5}))
	assert.Equal(t, int64(8), at(), "a cursor never goes back")
	require.NoError(t, b.Hosts().Cursors().Advance(t.Context(), session.Cursor{Source: "telegram", At: 12}))
	assert.Equal(t, int64(12), at())
	for _, bad := range []session.Cursor{{}, {Source: "", At: 1}, {Source: "x", At: -1}, {Source: "a\x00b", At: 1}} {
		assert.Error(t, b.Hosts().Cursors().Advance(t.Context(), bad))
		_, err := b.Hosts().Cursors().Accept(t.Context(), sig, bad)
		assert.Error(t, err)
	}
}

// A card's message comes on record at the very moment at which its button is pressed:
// after the press has looked for the message, and before it looks for the posting.
func TestPressedWhileThePostingComesOnRecord(t *testing.T) {
	b := newBench(t, testRules, "")
	p := approval.Posting{Token: b.decideOn("risky", `(:what "x")`).Approval, Gateway: "telegram", Chat: "-100",
		Message: "5",
		Nonce:   "nonce-of-the-first-card"}
	require.NoError(t, b.Approvals().Post(t.Context(), p))
	got, err := b.ledger.Adopt(t.Context(), "telegram", "-100", "5", p.Nonce)
	require.NoError(t, err)
	assert.Equal(t, p, got)
	_, err = b.ledger.Adopt(t.Context(), "telegram", "-100", "6", p.Nonce)
	require.ErrorIs(t, err, ledger.ErrUnknownCard)
	_, err = b.ledger.Adopt(t.Context(), "telegram", "-200", "5", p.Nonce)
	require.ErrorIs(t, err, ledger.ErrUnknownCard)
}

// Every wrong combination of gateway, chat, message and nonce is refused.
func TestPressedTakesTheWholePosting(t *testing.T) {
	b := newBench(t, testRules, "")
	one := b.decideOn("risky", `(:what "x")`).Approval
	two := b.decideOn("risky", `(:what "y")`).Approval
	p := approval.Posting{Token: one, Gateway: "telegram", Chat: "-100", Message: "", Nonce: "nonce-of-the-first-card"}
	require.NoError(t, b.Approvals().Post(t.Context(), p))
	_, err := b.Approvals().Pressed(t.Context(), "telegram", "-100", "", p.Nonce)
	assert.ErrorIs(t, err, ledger.ErrUnknownCard, "not sent yet")
	p.Message = "5"
	require.NoError(t, b.Approvals().Post(t.Context(), p))
	q := approval.Posting{Token: two, Gateway: "telegram", Chat: "-200", Message: "6", Nonce: "nonce-of-the-second-card"}
	require.NoError(t, b.Approvals().Post(t.Context(), q))
	for _, gateway := range []string{"telegram", "signal", ""} {
		for _, chat := range []string{"-100", "-200", ""} {
			for _, message := range []string{"5", "6", ""} {
				for _, nonce := range []string{p.Nonce, q.Nonce, "x"} {
					got, err := b.Approvals().Pressed(t.Context(), gateway, chat, message, nonce)
					switch tuple := (approval.Posting{Token: one, Gateway: gateway, Chat: chat, Message: message, Nonce: nonce}); {
					case tuple == p:
						assert.Equal(t, p, got)
					case approval.Posting{Token: two, Gateway: gateway, Chat: chat, Message: message, Nonce: nonce} == q:
						assert.Equal(t, q, got)
					default:
						assert.ErrorIs(t, err, ledger.ErrUnknownCard)
					}
				}
			}
		}
	}
	got, err := b.Approvals().Pressed(t.Context(), "telegram", "-100", "5", "")
	require.NoError(t, err)
	assert.Equal(t, p, got)
	all, err := b.Approvals().Postings(one)
	require.NoError(t, err)
	assert.Equal(t, []approval.Posting{p}, all)
	lost := approval.Posting{Token: one, Gateway: "telegram", Chat: "-300", Nonce: "nonce-of-a-card-sent-in-a-crash"}
	require.NoError(t, b.Approvals().Post(t.Context(), lost))
	for _, wrong := range [][3]string{{"signal", "-300", "9"}, {"telegram", "-100", "9"}, {"telegram", "-300", ""}} {
		_, err := b.Approvals().Pressed(t.Context(), wrong[0], wrong[1], wrong[2], lost.Nonce)
		assert.ErrorIs(t, err, ledger.ErrUnknownCard)
	}
	lost.Message = "9"
	got, err = b.Approvals().Pressed(t.Context(), "telegram", "-300", "9", lost.Nonce)
	require.NoError(t, err)
	assert.Equal(t, lost, got)
	_, err = b.Approvals().Pressed(t.Context(), "telegram", "-300", "10", lost.Nonce)
	assert.ErrorIs(t, err, ledger.ErrUnknownCard, "once")
	stolen := approval.Posting{Token: two, Gateway: "telegram", Chat: "-100", Message: "7", Nonce: p.Nonce}
	assert.ErrorContains(t, b.Approvals().Post(t.Context(), stolen), "belongs to another")
	assert.ErrorIs(t, b.Approvals().Post(t.Context(),
		approval.Posting{Token: "nope", Gateway: "telegram", Nonce: "0123456789abcdef"}),
		approval.ErrUnknownToken)
	assert.Error(t, b.Approvals().Post(t.Context(), approval.Posting{Token: one, Gateway: "telegram", Nonce: "short"}))
}
