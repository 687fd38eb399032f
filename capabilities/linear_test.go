package capabilities

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
)

const four = `
(defcapability x.four :version "1.0.0" :owner "o" :scope :project :inputs (:a string :b string) :required (:a :b)
  :once (:key ("four" :a :b))
  :plan ((one :tool "set" :args (:name "{{a}}" :image "1") :undo (:tool "set" :args (:name "{{a}}" :image "0")))
         (two :tool "restart" :args (:name "{{a}}") :undo "a restart changes nothing that lasts")
         (three :tool "set" :args (:name "{{a}}" :image "1") :undo (:tool "set" :args (:name "{{a}}" :image "0")))
         (four :tool "restart" :args (:name "{{b}}") :undo "a restart changes nothing that lasts")))
`

// Clients start plans, say yes and no to cards, change inputs on them, reload the rules and move the clock,
// all at once. What the record says afterwards is held against the rules of a yes: it counts once, for the
// step that it names and its bytes, under the policy and in the time of its card. CORTEX_OPERATIONS sets how
// many calls each client makes.
func TestLinearPlans(t *testing.T) {
	calls := 60
	if n, err := strconv.Atoi(os.Getenv("CORTEX_OPERATIONS")); err == nil {
		calls = n
	} else if testing.Short() {
		calls = 15
	}
	b := newBench(t, deployRules, four)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { b.play(rand.New(rand.NewPCG(uint64(i), 4)), calls) })
	}
	wg.Wait()
	b.yesesCount()
	b.replays()
}

// play makes the calls of one client. Errors are the others' doing: what counts is the record.
func (b *bench) play(r *rand.Rand, calls int) {
	for range calls {
		a := b.action("x.four", fmt.Sprintf(`(:a "%c" :b "%c")`, 'a'+rune(r.IntN(3)), 'a'+rune(r.IntN(2))))
		switch r.IntN(12) {
		case 0:
			b.m.Clock.Add(time.Duration(r.IntN(20)) * time.Hour)
		case 1:
			_ = b.e.Operations().Reload(b.t.Context())
		case 2, 3, 4, 5, 6:
			_, err := b.e.Do(b.t.Context(), a, b.facts())
			if held := (*cortex.Held)(nil); errors.As(err, &held) && r.IntN(2) == 0 {
				_ = b.e.Approve(b.t.Context(), held.Approval.Token, operator)
			}
		default:
			for card, err := range b.e.Pending(b.t.Context()) {
				if err != nil {
					break
				}
				switch r.IntN(6) {
				case 0:
					_ = b.e.Deny(b.t.Context(), card.Token, operator, "no")
				case 1:
					_, _ = b.e.Edit(b.t.Context(), card.Token, operator, a.Args())
				default:
					_ = b.e.Approve(b.t.Context(), card.Token, operator)
				}
			}
		}
	}
}

// yesesCount holds every intent that rests on a yes against the card.
func (b *bench) yesesCount() {
	b.t.Helper()
	used, plans, singles := map[string]int{}, 0, 0
	require.NoError(b.t, b.e.Journal().Records(1, func(rec cortex.Record) error {
		if rec.Kind != record.KindIntent {
			return nil
		}
		in := record.IntentFrom(rec.Body)
		if in.Grant == "" {
			return nil
		}
		a, err := approval.Load(b.e.Journal(), in.Grant)
		require.NoError(b.t, err)
		decided, err := b.e.Journal().Read(in.Decision)
		require.NoError(b.t, err)
		d, err := record.DecisionFrom(decided)
		require.NoError(b.t, err)
		require.Equal(b.t, a.Policy, d.Policy, "a yes under another policy")
		require.LessOrEqual(b.t, rec.At/1e9, a.Expires, "a yes past its time")
		key := in.Grant
		if in.Step.ID != "" && a.Planned() {
			plans++
			key += " " + in.Step.ID
			found := false
			for _, s := range a.Slots {
				found = found || s.Of != nil && s.Of.Step == in.Step.ID && s.Of.Action.Digest().String() == in.Digest && s.Filled()
			}
			require.True(b.t, found, "no yes to step %s with these bytes", in.Step.ID)
		} else {
			singles++
			require.Equal(b.t, a.Action.Digest().String(), in.Digest)
		}
		used[key]++
		return nil
	}))
	for key, n := range used {
		require.Equal(b.t, 1, n, "the yes %s was used %d times", key, n)
	}
	b.t.Logf("%d starts and steps by a yes of their own, %d steps by a yes to their plan", singles, plans)
	require.Positive(b.t, plans)
}
