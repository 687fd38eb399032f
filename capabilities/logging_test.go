package capabilities

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// counting calls at with each commit.
type counting struct {
	journal.Store
	at func()
}

func (c counting) Commit(writes []journal.Write) error {
	c.at()
	return c.Store.Commit(writes)
}

// R39: what a model was asked is logged in the commits that are made anyway, so a call waits for the disk no more
// often than without. BenchmarkTracedCall says how long that is.
func TestR39_LoggingMakesNoCommitOfItsOwn(t *testing.T) {
	commits, thoughts := map[engine.TraceMode]int{}, map[engine.TraceMode]int{}
	for _, mode := range []engine.TraceMode{engine.TraceOff, engine.TraceDigest} {
		st, err := store.Open(t.TempDir(), store.Options{})
		require.NoError(t, err)
		play, err := model.NewScripted("script", "s.lisp", `(:form (:tool "look" :args ())) (:reply "seen")`)
		require.NoError(t, err)
		e, err := engine.Open(t.Context(), cortex.Options{Live: true, Heartbeat: time.Hour,
			Rules: fstest.MapFS{"r.lisp": {Data: []byte(`(deftool look :tier :allow :effect :none)`)}},
			Tools: []act.Tool{{Schema: &skills.Tool{Name: "look"}, Actuator: act.Func(
				func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: act.Done}, nil })}},
			Models: cortex.Models{Providers: []model.Provider{play}}, Traces: engine.Traces{Mode: mode}},
			counting{cortextest.Points(st, func(point string) {
				if point == "before-think" {
					thoughts[mode]++
				}
			}), func() { commits[mode]++ }})
		require.NoError(t, err)
		_, err = e.Submit(t.Context(), cortex.Signal{Text: "look round", Session: "s", Principal: "ana"})
		require.NoError(t, err)
		require.NoError(t, e.Close())
	}
	assert.Equal(t, commits[engine.TraceOff], commits[engine.TraceDigest])
	assert.Positive(t, commits[engine.TraceOff])
	assert.Zero(t, thoughts[engine.TraceOff])
	assert.Equal(t, 2, thoughts[engine.TraceDigest], "both exchanges are on record")
}
