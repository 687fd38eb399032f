package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason"
)

// A yes is for one asker in one session, one tool and one set of arguments. In every
// other combination of them it counts for nothing, though all stand on one record.
func TestThreat10_AGrantServesNobodyElse(t *testing.T) {
	const rules = `(defaults :unknown-tool :deny)
(deftool risky :params (:what string) :tier :ask :effect :external)
(deftool never :params (:what string) :tier :ask :effect :external)`
	pick := func(bits, i int, own, other string) string {
		if bits&(1<<i) == 0 {
			return own
		}
		return other
	}
	for bits := range 16 {
		asker, where, tool, what := pick(bits, 0, "one", "two"), pick(bits, 1, "s1", "s2"), pick(bits, 2,
			"risky", "never"), pick(bits, 3, "x", "y")
		t.Run(fmt.Sprint(asker, where, tool, what), func(t *testing.T) {
			b := newBench(t, rules, "")
			owned, err := b.Decide(t.Context(), action(t, "risky", `(:what "x")`), asking("s1", "one"))
			require.NoError(t, err)
			require.NoError(t, b.Approve(t.Context(), owned.Approval, ana))
			d, err := b.Decide(t.Context(), action(t, tool, fmt.Sprintf("(:what %q)", what)), asking(where, asker))
			require.NoError(t, err)
			if bits == 0 {
				assert.Equal(t, reason.Allow, d.Kind, "its owner's, or nothing is tried here")
				return
			}
			assert.Equal(t, reason.Ask, d.Kind)
			assert.NotEqual(t, owned.Approval, d.Approval)
			_, err = b.Begin(t.Context(), d)
			assert.ErrorAs(t, err, new(*ledger.NotAllowed))
			a, err := b.Engine.Approvals().Get(t.Context(), owned.Approval)
			require.NoError(t, err)
			assert.Equal(t, approval.Approved, a.State, "and it is not used up")
		})
	}
}
