package engine

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason"
)

// scanned is a store that counts the entries that are looked at.
type scanned struct {
	journal.Store
	entries *atomic.Int64
}

func (s scanned) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	return s.Store.Scan(lo, hi, func(k, v []byte) bool {
		s.entries.Add(1)
		return f(k, v)
	})
}

// Asking looks at no card of another session, however many are open.
func TestAskingLooksAtNoOtherCard(t *testing.T) {
	var entries atomic.Int64
	b := newBench(t, testRules, "", func(o *Options) {
		o.hooks.Wrap = func(s journal.Store) journal.Store { return scanned{s, &entries} }
	})
	asked := 0
	ask := func() int64 {
		asked++
		before := entries.Load()
		d, err := b.Decide(t.Context(), action(t, "risky", `(:what "x")`), asking(fmt.Sprint("s", asked), "agent"))
		require.NoError(t, err)
		require.Equal(t, reason.Ask, d.Kind)
		return entries.Load() - before
	}
	few := ask()
	for range 300 {
		ask()
	}
	assert.Equal(t, few, ask())
}

// counted compares the counts of open approvals with the approvals.
func (b *bench) counted() (n int) {
	b.t.Helper()
	want := map[string]int{}
	open, err := b.ledger.OpenApprovals(b.t.Context(), b.j)
	require.NoError(b.t, err)
	for _, a := range open {
		for _, k := range approval.OpenCounts(a.Session, a.Requester) {
			want[string(k)]++
		}
	}
	have := map[string]int{}
	require.NoError(b.t, record.Scan(b.j, []byte{byte(record.TableOpen)}, func(k, v []byte) error {
		have[string(k)] = int(record.AsNumber(v))
		return nil
	}))
	require.Equal(b.t, want, have)
	return len(open)
}

// Whatever becomes of cards, the counts are those of the open ones; a record that an
// earlier version wrote, which kept none, is counted when it is opened.
func TestOpenCardsAreCounted(t *testing.T) {
	crashtest.Long(t)
	most := 0
	for seed := range uint64(4) {
		b, m := newMachine(t, testRules, onDisk)
		rng := rand.New(rand.NewPCG(seed, 11))
		for range 150 {
			in := asking(fmt.Sprint("s", rng.IntN(3)), fmt.Sprint("p", rng.IntN(2)))
			cards := b.pending()
			var card *approval.Approval
			if len(cards) > 0 {
				card = cards[rng.IntN(len(cards))]
			}
			switch n := rng.IntN(14); {
			case n == 0:
				m.pass(time.Duration(rng.IntN(40)) * time.Hour)
			case n == 1:
				m.set(-time.Hour)
			case n == 2:
				require.NoError(t, b.Operations().Reload(t.Context()))
			case n == 3:
				require.NoError(t, b.j.Update(t.Context(), func(tx *journal.Tx) error {
					return record.Scan(tx, []byte{byte(record.TableOpen)}, func(k, _ []byte) error {
						tx.Delete(k)
						return nil
					})
				}))
				b.reopen()
			case n < 7 && card != nil:
				switch rng.IntN(3) {
				case 0:
					_ = b.Approve(t.Context(), card.Token, ana)
				case 1:
					_ = b.Deny(t.Context(), card.Token, ana, "no")
				default:
					_ = b.Withdraw(t.Context(), card.Token, card.Requester)
				}
			default:
				d, err := b.Decide(t.Context(), action(t, "risky", fmt.Sprintf(`(:what "%d")`, rng.IntN(6))), in)
				require.NoError(t, err)
				if d.Kind == reason.Allow {
					p, err := b.Begin(t.Context(), d)
					require.NoError(t, err)
					require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
				}
			}
			most = max(most, b.counted())
		}
	}
	assert.Greater(t, most, 8)
}
