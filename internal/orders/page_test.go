package orders_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/orders"
)

type from struct {
	From int `json:"from,omitempty"`
}

// A list of any length comes whole, a page at a time.
func TestPagesOfAListAreGathered(t *testing.T) {
	all := orders.List[int, string]{orders.Looks("list", "Rows.",
		func(ctx context.Context, n int, _ string, p from) (any, string, error) {
			out := orders.NewPage[int](ctx)
			for i := p.From; i < n; i++ {
				fits, err := out.Add(i, fmt.Sprintln(i))
				if err != nil || !fits {
					return out, out.Text(""), out.More(from{i})
				}
			}
			return out, out.Text("none\n"), nil
		})}
	for n, least := range map[int]int{0: 1, 1: 1, 3000: 10} {
		asked, longest := 0, 0
		a, err := orders.Gather(nil, func(params []byte) (orders.Answer, error) {
			a, err := all.Do(orders.Within(t.Context(), 1000), n, "", "list", params)
			asked, longest = asked+1, max(longest, len(a.Text)+len(a.JSON))
			return a, err
		})
		require.NoError(t, err)
		var rows []int
		require.NoError(t, json.Unmarshal(a.JSON, &rows))
		assert.Len(t, rows, n)
		for i, row := range rows {
			require.Equal(t, i, row)
		}
		assert.GreaterOrEqual(t, asked, least)
		assert.LessOrEqual(t, longest, 2000)
		if n == 0 {
			assert.Equal(t, "none\n", a.Text)
		}
	}
}
