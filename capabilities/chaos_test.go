package capabilities

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/skills"
)

// chaos is a plan whose second step may go wrong in any way. %s is what it gives to work.
const chaos = `
(defcapability x.chaos :version "1.0.0" :owner "o" :scope :project :once (:key ("k"))
  :outputs (:id string)
  :plan ((set :tool "set" :args (:name "a" :image "1") :undo (:tool "set" :args (:name "a" :image "0")))
         (%s :ms 50 :out (:id %s) :undo "only reads"))
  :result (:id "{{work.id}}"))
`

// chaotic takes the plan with a second tool that acts as told, and returns the run when it rests.
func chaotic(t *testing.T, tool, part string, does func(context.Context) (act.Receipt, error)) (*bench, *Run) {
	b := newBench(t, allRules, deploy)
	opt := b.options
	for i := range opt.Tools {
		if opt.Tools[i].Schema.Name == tool {
			opt.Tools[i] = act.Tool{Schema: &skills.Tool{Name: tool}, Actuator: act.Func(
				func(ctx context.Context, _ act.Call) (act.Receipt, error) { return does(ctx) })}
		}
	}
	b.m.Options(opt)
	b.e = b.m.Start()
	step := fmt.Sprintf("look :tool %q :args (:name %q)", tool, "a")
	b.inForce(read(t, fmt.Sprintf(chaos, step, part)))
	_, err := b.e.Do(t.Context(), b.action("x.chaos", `()`), b.facts())
	require.NoError(t, err)
	for range 3 { // whatever waits for itself has its time
		b.rests()
		require.NoError(t, b.e.Operations().Maintain(t.Context()))
	}
	return b, b.rests()
}

// madeUpFor asserts that the run ended in one Result, with its step made up for.
func (b *bench) madeUpFor(r *Run, why string) {
	b.t.Helper()
	assert.Equal(b.t, statusPartial, r.Status, r.Why)
	assert.Contains(b.t, r.Result(), why)
	assert.Contains(b.t, b.w.calls, `set (:image "0" :name "a")`)
	b.replays()
}

func TestR40_A404IsMadeUpFor(t *testing.T) {
	b, r := chaotic(t, "read", "text", func(context.Context) (act.Receipt, error) {
		return act.Receipt{State: act.Failed, Error: "404 not found"}, nil
	})
	b.madeUpFor(r, "step look: 404 not found")
}

// A read that takes longer than it may has changed nothing: its run is made up for.
func TestR40_ASlowReadIsMadeUpFor(t *testing.T) {
	b, r := chaotic(t, "read", "text", func(ctx context.Context) (act.Receipt, error) {
		<-ctx.Done()
		return act.Receipt{}, ctx.Err()
	})
	b.madeUpFor(r, "step look")
}

// A step that changes something and takes longer than it may holds the run, until a person says what has
// become of it.
func TestR40_ASlowEffectHoldsTheRun(t *testing.T) {
	b, r := chaotic(t, "restart", "text", func(ctx context.Context) (act.Receipt, error) {
		<-ctx.Done()
		return act.Receipt{}, ctx.Err()
	})
	require.False(t, r.Ended(), r.Result())
	doubts, err := b.e.Operations().Doubts(t.Context())
	require.NoError(t, err)
	require.Len(t, doubts, 1)
	assert.NotContains(t, b.w.calls, `set (:image "0" :name "a")`, "it is not known what there is to make up for")
	require.NoError(t, b.e.Operations().Settle(t.Context(), doubts[0].Intent, false, operator))
	b.madeUpFor(b.rests(), "step look")
}

// A tool that says it is done and returns nothing of what the plan needs is not believed.
func TestR40_ALieIsMadeUpFor(t *testing.T) {
	b, r := chaotic(t, "read", "result.id", func(context.Context) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: "all is well"}, nil
	})
	b.madeUpFor(r, "step look: it returned no result.id")
}

// A text that was cut off, or is more than a run keeps, is none to go on with.
func TestR40_ATruncatedContextIsMadeUpFor(t *testing.T) {
	for _, size := range []int{300 << 10, 2 << 20, 8 << 20} {
		if size > 1<<20 && testing.Short() {
			break
		}
		b, r := chaotic(t, "read", "text", func(context.Context) (act.Receipt, error) {
			return act.Receipt{State: act.Done, Text: strings.Repeat("word ", size/5)}, nil
		})
		b.madeUpFor(r, "a run keeps at most 65536")
	}
}

// A tool that panics has said nothing.
func TestR40_APanicIsMadeUpFor(t *testing.T) {
	b, r := chaotic(t, "read", "text", func(context.Context) (act.Receipt, error) { panic("no") })
	b.madeUpFor(r, "step look")
}
