//go:build linux

package wire

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/sexpr"
)

// Clients who wait for what becomes of a card take no turn from others, and all hear
// of it when people have answered.
func TestOutcomesAreWaitedForWithoutATurn(t *testing.T) {
	h := open(t, asking(1))
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	one, two, operator := h.dial(h.opt.Socket), h.dial(h.opt.Socket), h.approver(secret)
	out, err := one.Signal(t.Context(), client.Message{Text: "do 0."})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	var waiting sync.WaitGroup
	for range 50 {
		waiting.Go(func() {
			r, err := one.Eval(t.Context(), client.Outcome(out.Approval, true))
			if assert.NoError(t, err) {
				assert.True(t, r.Value.GetTrue("done"), r.Value)
				assert.Equal(t, "ok", r.Value.GetText("text"))
			}
		})
	}
	for i := range 20 {
		for _, c := range []*client.Conn{one, two} {
			r, err := typed(t, c, fmt.Sprintf("(+ 1 %d)", i))
			require.NoError(t, err)
			assert.True(t, sexpr.Equal(sexpr.Int64(int64(i+1)), r.Value))
			_, err = typed(t, c, "(journal :last 5)")
			require.NoError(t, err)
		}
	}
	_, err = operator.Approve(t.Context(), out.Approval)
	require.NoError(t, err)
	waiting.Wait()
}
