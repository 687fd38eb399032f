package ticket

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
)

// seedKey is the key of the vectors: the bytes 0 to 31.
func seedKey() (k Key) {
	for i := range k {
		k[i] = byte(i)
	}
	return k
}

func zero() Long {
	tail := strings.Repeat("a", 26)
	return Long{Version: 1, Session: event.SessionID("sess_" + tail), Run: event.RunID("run_" + tail),
		Node: event.NodeID("node_" + tail)}
}

func ackToken() Long {
	l := zero()
	l.Kind, l.Attempt = AckToken, event.AttemptID("attempt_"+strings.Repeat("a", 26))
	return l
}

func codeOf(t *testing.T, err error) Code {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	return e.Code
}

func TestT28_theSeedsVector(t *testing.T) {
	text, err := ackToken().Mint(seedKey())
	require.NoError(t, err)
	assert.Len(t, text, 338)
	assert.True(t, strings.HasSuffix(text, ".mjGAAv6ikCtnqnfnkt-9Q7n2KoHUARr-8KuT1Y9bZYc"), text)
	got, err := ParseLong(text, Keys{Current: seedKey()})
	require.NoError(t, err)
	assert.Equal(t, ackToken(), *got)

	state := zero()
	state.Kind, state.Hash = StateToken, "sha256:9a895227c318a19990daa70c62df81543ef6e7e411a1067041dc8e47af1273ec"
	text, err = state.Mint(seedKey())
	require.NoError(t, err)
	assert.Len(t, text, 393)
	assert.True(t, strings.HasSuffix(text, ".aFWwEa7qwEgXk4yu5r7jmIi-OtOsQeHepi0fLcV4-90"), text)
	got, err = ParseLong(text, Keys{Current: seedKey()})
	require.NoError(t, err)
	assert.Equal(t, state, *got)
}

func TestT30_prefixAndVersionAreChecked(t *testing.T) {
	ack, err := ackToken().Mint(seedKey())
	require.NoError(t, err)
	keys := Keys{Current: seedKey()}
	_, err = ParseLong("st"+strings.TrimPrefix(ack, "ack"), keys)
	assert.Equal(t, InvalidFormat, codeOf(t, err))
	_, err = ParseLong(strings.Replace(ack, ".v1.", ".v2.", 1), keys)
	assert.Equal(t, UnsupportedVersion, codeOf(t, err))
	_, err = Parse("ct2-a-aaaa")
	assert.Equal(t, UnsupportedVersion, codeOf(t, err))
}

func short(r *rand.Rand) *Ticket {
	t := &Ticket{Label: "release-notes-7", Kind: Continue, First: r.Uint64N(1 << 40), Node: r.Uint64N(1 << 20)}
	for i := range t.Attempt {
		t.Attempt[i] = byte(r.Uint32())
	}
	return t
}

func TestT31_aTicketOutlivesOneRotation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	one, record := short(r), [32]byte{7}
	keys := Keys{Current: NewKey()}
	text, err := one.Mint(keys.Current, record)
	require.NoError(t, err)
	long, err := ackToken().Mint(keys.Current)
	require.NoError(t, err)
	got, err := Parse(text)
	require.NoError(t, err)
	for range 2 { // before a rotation, and after one
		require.NoError(t, got.Verify(keys, record))
		_, err = ParseLong(long, keys)
		require.NoError(t, err)
		keys = keys.Rotate(NewKey())
	}
	assert.Equal(t, BadSignature, codeOf(t, got.Verify(keys, record)))
	_, err = ParseLong(long, keys)
	assert.Equal(t, BadSignature, codeOf(t, err))
}

func TestAShortTicketReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	keys, record := Keys{Current: NewKey()}, [32]byte{1}
	for range 500 {
		want := short(r)
		text, err := want.Mint(keys.Current, record)
		require.NoError(t, err)
		got, err := Parse(text)
		require.NoError(t, err)
		require.NoError(t, got.Verify(keys, record))
		require.Equal(t, BadSignature, codeOf(t, got.Verify(keys, [32]byte{2})), "a copy that went another way")
		want.sig = got.sig
		require.Equal(t, want, got)
	}
}

func TestT33_aroundATicket(t *testing.T) {
	text, err := short(rand.New(rand.NewPCG(3, 3))).Mint(seedKey(), [32]byte{})
	require.NoError(t, err)
	_, err = Parse("\t " + text + " \n")
	require.NoError(t, err)
	for _, joined := range []string{text + text, text + " " + text, text + "\n" + text} {
		_, err = Parse(joined)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, InvalidFormat, e.Code)
		assert.NotEmpty(t, e.Suggestion)
	}
	long, err := ackToken().Mint(seedKey())
	require.NoError(t, err)
	_, err = ParseLong(long+"\n", Keys{Current: seedKey()})
	require.NoError(t, err)
	_, err = ParseLong(long+long, Keys{Current: seedKey()})
	assert.Equal(t, InvalidFormat, codeOf(t, err))
}

// spoil changes text in one of the ways in which people and models spoil a ticket.
func spoil(r *rand.Rand, text, other string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567ABCXYZ0189-_.="
	at := r.IntN(len(text))
	switch r.IntN(5) {
	case 0:
		return text[:at]
	case 1:
		return text[:at] + text[at+1:]
	case 2:
		return text[:at] + other[min(at, len(other)):]
	case 3:
		return text[:at] + string(letters[r.IntN(len(letters))]) + text[at:]
	}
	return text[:at] + string(letters[r.IntN(len(letters))]) + text[at+1:]
}

func TestT29_noSpoiledTicketIsAccepted(t *testing.T) {
	trials := 100_000
	if testing.Short() {
		trials = 2_000
	}
	r := rand.New(rand.NewPCG(4, 4))
	keys, record := Keys{Current: NewKey()}, [32]byte{9}
	for range trials {
		a, err := short(r).Mint(keys.Current, record)
		require.NoError(t, err)
		b, err := short(r).Mint(keys.Current, record)
		require.NoError(t, err)
		bad := spoil(r, a, b)
		if bad == a || bad == b {
			continue
		}
		got, err := Parse(bad)
		if err == nil {
			err = got.Verify(keys, record)
		}
		refused(t, bad, err)
	}
}

func TestT29_noSpoiledSeedTokenIsAccepted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	keys := Keys{Current: seedKey()}
	a, err := ackToken().Mint(keys.Current)
	require.NoError(t, err)
	other := ackToken()
	other.Kind = CheckpointToken
	b, err := other.Mint(keys.Current)
	require.NoError(t, err)
	for range 2_000 {
		if bad := spoil(r, a, b); bad != a && bad != b {
			_, err := ParseLong(bad, keys)
			refused(t, bad, err)
		}
	}
}

func refused(t *testing.T, bad string, err error) {
	t.Helper()
	var e *Error
	require.True(t, errors.As(err, &e), "%q was accepted", bad)
	require.Contains(t, []Code{InvalidFormat, BadSignature, UnsupportedVersion}, e.Code)
}
