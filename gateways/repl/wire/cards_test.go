//go:build linux

package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// asking is a model that wants something risky, another thing each time.
func asking(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `(:when ("do %d.") :form (:type :request :target :tool :payload (:tool "risky" :args (:what "x%d")) :explanation "as the user asked"))`, i, i)
	}
	return b.String() + `(:repeat t :reply "ok")`
}

// approver is a client that has shown the secret.
func (h *house) approver(secret string) *client.Conn {
	h.t.Helper()
	c := h.dial(h.opt.Approvals)
	require.NoError(h.t, c.Auth(h.t.Context(), secret))
	return c
}

// told waits for n notices.
func told(t *testing.T, c *client.Conn, n int) (list []client.Notice) {
	t.Helper()
	for len(list) < n {
		select {
		case <-c.Noticed():
		case <-c.Done():
			require.Fail(t, "the connection ended", "%d of %d notices: %v", len(list), n, c.Err())
		case <-t.Context().Done():
			require.Fail(t, "not told", "%d of %d notices", len(list), n)
		}
		more, missed := c.Notices()
		require.Zero(t, missed)
		list = append(list, more...)
	}
	return list
}

// following reports whether the server follows the record for somebody.
func (h *house) following() bool {
	h.server.crier.mu.Lock()
	defer h.server.crier.mu.Unlock()
	return h.server.crier.stop != nil
}

func TestCardsAreToldToApprovers(t *testing.T) {
	h := open(t, asking(3))
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	plain := h.dial(h.opt.Socket)
	unproven := h.raw(h.opt.Approvals)
	before, err := plain.Signal(t.Context(), client.Message{Text: "do 0."})
	require.NoError(t, err)
	require.NotEmpty(t, before.Approval)
	assert.False(t, h.following(), "no approver listens yet")

	one, two := h.approver(secret), h.approver(secret)
	assert.True(t, h.following())
	assert.Contains(t, one.Handshake().Capabilities, "cards")
	assert.NotContains(t, plain.Handshake().Capabilities, "cards")
	out, err := plain.Signal(t.Context(), client.Message{Text: "do 1."})
	require.NoError(t, err)
	a, err := h.engine.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	code, err := h.engine.Approvals().Code(a)
	require.NoError(t, err)
	shown := h.repl.Card(a, code)
	opened := client.Notice{Token: out.Approval, State: cortex.Pending, Code: shown.Code, Text: shown.Text()}
	assert.Equal(t, []client.Notice{opened}, told(t, one, 1), "not the card from before")
	assert.Equal(t, []client.Notice{opened}, told(t, two, 1))

	_, err = typed(t, one, `(deny "`+out.Approval+`" "not today")`)
	require.NoError(t, err)
	for _, c := range []*client.Conn{one, two} {
		n := told(t, c, 1)[0]
		assert.Equal(t, cortex.Denied, n.State)
		assert.Equal(t, out.Approval, n.Token)
		assert.Equal(t, `denied by operator: "not today"`, n.Outcome)
		assert.Contains(t, n.Text, "denied")
	}
	// One that goes on by itself is told as approved, however fast it is used.
	out, err = plain.Signal(t.Context(), client.Message{Text: "do 2."})
	require.NoError(t, err)
	told(t, one, 1)
	require.NoError(t, h.engine.Approve(t.Context(), out.Approval,
		cortex.Approver{Name: "operator", Classes: []string{"operator"}, Via: "repl"}))
	require.NoError(t, h.engine.Operations().Wait(t.Context()))
	n := told(t, one, 1)[0]
	assert.Equal(t, cortex.Approved, n.State)
	assert.Equal(t, "approved by operator", n.Outcome)
	assert.Len(t, h.acts.all(), 1)
	told(t, two, 2)

	// No other client heard of any of it, and nothing was an answer to anything.
	_, err = plain.Health(t.Context())
	require.NoError(t, err)
	for _, c := range []*client.Conn{plain, one, two} {
		list, missed := c.Notices()
		assert.Empty(t, list)
		assert.Zero(t, missed)
	}
	unproven.alive()

	require.NoError(t, one.Close())
	assert.True(t, h.following())
	require.NoError(t, two.Close())
	assert.Eventually(t, func() bool {
		return !h.following()
	}, patienceOfTests, listening/100, "when the last has left, nothing runs")
	again := h.approver(secret)
	assert.True(t, h.following())
	require.NoError(t, h.engine.Deny(t.Context(), before.Approval,
		cortex.Approver{Name: "operator", Classes: []string{"operator"}, Via: "repl"}, "late"))
	assert.Equal(t, cortex.Denied, told(t, again, 1)[0].State)
}

// patienceOfTests only ends a test that has failed.
const patienceOfTests = 60 * listening

// What a client does not read is kept as far as there is room, and counted; it
// does not hold up the others.
func TestCardsThatNobodyReadsAreCounted(t *testing.T) {
	n := newNews()
	for i := range maxNews + 7 {
		n.add(fmt.Appendf(nil, "%d", i))
	}
	for i := range maxNews {
		if i == 3 {
			n.add([]byte("behind the gap")) // in its place in the order it is counted too
		}
		assert.Equal(t, fmt.Sprint(i), string(n.next()))
	}
	assert.Equal(t, frame(`(:type :event :payload (:action :card :missed 8))`), string(n.next()))
	assert.Nil(t, n.next())
	n.add([]byte("new"))
	assert.Equal(t, "new", string(n.next()))
	assert.Nil(t, n.next())
}

// An approver who reads nothing holds up neither those who decide nor the other
// approvers; when it reads again, every card has come or was counted.
func TestCardsAndAnApproverWhoDoesNotRead(t *testing.T) {
	const cards, more = 3, 400
	h := open(t, asking(cards))
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	deaf := h.raw(h.opt.Approvals)
	assert.Equal(t,
		"response", protocol.Word(deaf.ask(`(:id 1 :type :request :target :auth :payload (:secret "`+secret+`"))`), "type"))
	h.flood(more) // more than the system keeps for a client, and its place here besides
	one, plain := h.approver(secret), h.dial(h.opt.Socket)
	for i := range cards {
		out, err := plain.Signal(t.Context(), client.Message{Text: fmt.Sprintf("do %d.", i)})
		require.NoError(t, err)
		require.NotEmpty(t, out.Approval)
		assert.Equal(t, out.Approval, told(t, one, 1)[0].Token)
	}
	got, missed := 0, 0
	for got+missed < cards+more {
		p := payload(deaf.read())
		require.Equal(t, "card", protocol.Word(p, "action"))
		if n := int(p.GetInt("missed")); n > 0 {
			missed += n
		} else {
			got++
		}
	}
	assert.Equal(t, cards+more, got+missed)
	assert.Positive(t, missed)
	deaf.alive()
}

// flood tells everybody of cards as long as they may be.
func (h *house) flood(n int) {
	h.t.Helper()
	var b plist.Builder
	b.Add("action", sexpr.Key("card"))
	b.Add("text", sexpr.Str(strings.Repeat("x", maxCard)))
	text, err := unasked(b)
	require.NoError(h.t, err)
	for range n {
		h.server.crier.tell(h.t.Context(), text)
	}
}

// Who leaves cards unread is cut off like who leaves answers unread.
func TestCardsThatStayUnreadEndTheConnection(t *testing.T) {
	h := open(t, "", func(s setup) { s.Wire.WriteTimeout = listening / 10 })
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	deaf := h.raw(h.opt.Approvals)
	assert.Equal(t,
		"response", protocol.Word(deaf.ask(`(:id 1 :type :request :target :auth :payload (:secret "`+secret+`"))`), "type"))
	h.flood(400)
	assert.Eventually(t, func() bool {
		return strings.Contains(h.log.String(), errUnread.Error()) && !h.following()
	}, patienceOfTests, listening/100)
}
