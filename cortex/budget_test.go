package cortex_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// looker is a model that always wants to look, and counts how often it is asked.
type looker struct{ asked atomic.Int64 }

func (*looker) Name() string { return "looker" }

func (l *looker) Complete(context.Context, model.Prompt) (model.Completion, error) {
	l.asked.Add(1)
	return model.Completion{Text: `(:tool "look")`}, nil
}

// What a turn used counts although the engine closes before the turn has ended: the next
// engine does not begin a new budget.
func TestABudgetOutlivesAnEngineThatCloses(t *testing.T) {
	m, dir, calls, inside := &looker{}, t.TempDir(), atomic.Int64{}, make(chan struct{})
	tool := act.Tool{Schema: &skills.Tool{Name: "look"},
		Actuator: act.Func(func(ctx context.Context, _ act.Call) (act.Receipt, error) {
			if calls.Add(1) == 2 {
				close(inside)
				<-ctx.Done()
			}
			return act.Receipt{State: act.Done, Text: "a lake"}, nil
		})}
	open := func() *cortex.Engine {
		eng, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Live: true, Tools: []act.Tool{tool},
			Rules:   fstest.MapFS{"r.lisp": {Data: []byte(`(deftool look :tier :allow :effect :none)`)}},
			Models:  cortex.Models{Providers: []model.Provider{m}},
			Budgets: cortex.Budgets{Turns: 3}})
		require.NoError(t, err)
		return eng
	}
	eng := open()
	ended := make(chan error, 1)
	go func() {
		_, err := eng.Submit(context.Background(), cortex.Signal{Text: "look around", Session: "s"})
		ended <- err
	}()
	<-inside
	require.NoError(t, eng.Close())
	require.ErrorIs(t, <-ended, cortex.ErrClosed)
	require.EqualValues(t, 2, m.asked.Load())
	eng = open()
	require.NoError(t, eng.Operations().Wait(t.Context()))
	require.NoError(t, eng.Close())
	assert.EqualValues(t, 3, m.asked.Load(), "the next engine asks for the one turn that is left")
}
