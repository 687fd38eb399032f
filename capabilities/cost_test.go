package capabilities

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
)

// costly is a plan of two steps with a budget in dollars. The first step is tried twice at most.
const costly = `
(defcapability x.costly :version "1.0.0" :owner "o" :scope :project
  :inputs (:app string) :required (:app) :once (:key ("costly" :app)) :budget (:usd 0.10)
  :plan ((one :tool "set" :args (:name "{{app}}" :image "v2") :retries 1 :idempotent t
              :undo (:tool "set" :args (:name "{{app}}" :image "v1")))
         (two :tool "read" :args (:name "{{app}}") :undo "only reads")))
`

const costlyRules = `
(deftool read :params (:name string) :required (:name) :tier :allow :effect :none)
(deftool set :params (:name string :image string) :required (:name :image) :tier :allow :effect :external)
(defaults :unknown-tool :deny)
`

// R5, R20: a tool says what its effect cost. A run over its budget stops and makes up for what it did; a
// try that failed has cost something too, and so has the last step.
func TestR20_ABudgetInDollarsBreaksARun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		costs  []float64 // of the calls, in order
		fails  int       // the call that fails, from 1; 0 for none
		status string
		calls  int
		cost   float64
	}{
		{"within the budget", []float64{0.04, 0.06}, 0, statusOK, 2, 0.10},
		{"over it after the first step", []float64{0.11, 0.01}, 0, statusPartial, 2, 0.11},
		{"over it after the last step", []float64{0.05, 0.06, 0}, 0, statusPartial, 3, 0.11},
		{"a try that failed counts", []float64{0.06, 0.06, 0}, 1, statusPartial, 3, 0.12},
		{"nothing is reported", nil, 0, statusOK, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, costlyRules, costly)
			n := 0
			b.w.does = func(string, act.Call) act.Receipt {
				rc := act.Receipt{State: act.Done, Text: "done"}
				if n < len(tt.costs) {
					rc.Cost = tt.costs[n]
				}
				if n++; n == tt.fails {
					rc.State, rc.Error = act.Failed, "it broke"
				}
				return rc
			}
			rc := b.does("x.costly", `(:app "shop")`)
			r, err := b.caps.Show(t.Context(), rc.Result.GetText("run"))
			require.NoError(t, err)
			assert.Equal(t, tt.status, r.Status)
			assert.InDelta(t, tt.cost, r.Cost, 1e-9)
			assert.Len(t, b.w.calls, tt.calls, "%v", b.w.calls)
			if tt.status == statusPartial {
				assert.Contains(t, r.Why, "dollars, and its budget is 0.1000")
				assert.Contains(t, b.w.calls[len(b.w.calls)-1], `:image "v1"`, "what was done was made up for")
				assert.Equal(t, "done", r.Steps[0].Undone)
			}
			b.replays()
		})
	}
}

// A cost that is not an amount counts as a failure, so that the run makes up for what was done.
func TestI3_ACostThatIsNoAmountFails(t *testing.T) {
	for _, cost := range []float64{-1, math.NaN(), math.Inf(1)} {
		b := newBench(t, costlyRules, costly)
		b.w.does = func(tool string, c act.Call) act.Receipt {
			rc := act.Receipt{State: act.Done}
			if c.Action.Args().GetText("image") == "v2" {
				rc.Cost = cost
			}
			return rc
		}
		rc := b.does("x.costly", `(:app "shop")`)
		r, err := b.caps.Show(t.Context(), rc.Result.GetText("run"))
		require.NoError(t, err)
		assert.Equal(t, statusPartial, r.Status)
		assert.Contains(t, r.Why, "dollars was reported")
		assert.Equal(t, "done", r.Steps[0].Undone)
		b.replays()
	}
}
