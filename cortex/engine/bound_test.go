package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/sexpr"
)

// bound is what an approval is bound to, listed a second time.
func bound(a *approval.Approval) []any {
	out := []any{a.Action.Canonical(), a.Action.Digest(), a.Policy, a.Session, a.Requester, a.Expires, a.Nonce, a.Created,
		a.Boot, a.Up, a.Era, a.Bound}
	for _, s := range a.Slots {
		out = append(out, s.Key, s.Class, s.Quorum, s.Bars)
	}
	return out
}

// Every bit of every byte of a stored approval is turned over after it was approved:
// either it is refused, or nothing in it that is bound has changed.
func TestI2_EveryByteOfABoundFieldMatters(t *testing.T) {
	b := newBench(t, testRules, "")
	d := b.decideOn("risky", `(:what "transfer 100 to ben")`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	a, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	text := a.Value().String()
	refused, unread, same := 0, 0, 0
	for i := range len(text) {
		for bit := range 8 {
			if testing.Short() && bit%3 > 0 {
				continue
			}
			raw := []byte(text)
			raw[i] ^= 1 << bit
			v, err := sexpr.Read("approval", string(raw))
			if err != nil {
				unread++
				continue
			}
			got, err := approval.From(v)
			if err != nil {
				refused++
				continue
			}
			same++
			require.Equal(t, bound(a), bound(got), "byte %d, bit %d: %s", i, bit, raw)
		}
	}
	t.Logf("%d mutations: %d are no value, %d refused, %d left all that is bound as it was", refused+unread+same, unread,
		refused, same)
	assert.Greater(t, refused, 1000)

	// Fields by name, so that none is missing in the bytes above.
	good := a.Value()
	slots, _ := good.Get("slots")
	slot := func(key string, v sexpr.Value) sexpr.Value {
		return good.With("slots", sexpr.ListOf(slots.Items()[0].With(key, v)))
	}
	for name, bad := range map[string]sexpr.Value{
		"class": slot("class", sexpr.Str("finance")), "quorum": slot("quorum", sexpr.Int64(0)),
		"bars":    slot("bars", sexpr.Str("ben")),
		"created": good.With("created", sexpr.Int64(a.Created+1)), "boot": good.With("boot", sexpr.Str("x")),
		"up": good.With("up", sexpr.Int64(a.Up+1)), "era": good.With("era", sexpr.Int64(int64(a.Era)+1)),
		"twice": good.With("slots", sexpr.ListOf(slots.Items()[0], slots.Items()[0])),
	} {
		_, err := approval.From(bad)
		assert.Error(t, err, name)
	}
}
