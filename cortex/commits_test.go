package cortex_test

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// commits is a store that notes which kinds of record each commit brought, and whether it
// kept what a signal has used.
type commits struct {
	journal.Store
	mu   sync.Mutex
	list []string // with a space between
}

var kindOf = regexp.MustCompile(`:kind "([a-z-]+)" :seq `)

func (c *commits) Commit(writes []journal.Write) error {
	var kinds []string
	for _, w := range writes {
		switch m := kindOf.FindSubmatch(w.Value); {
		case m != nil && w.Key[0] == 'e':
			kinds = append(kinds, string(m[1]))
		case w.Key[0] == byte(record.TableBudget):
			kinds = append(kinds, "budget")
		}
	}
	c.mu.Lock()
	c.list = append(c.list, strings.Join(kinds, " "))
	c.mu.Unlock()
	return c.Store.Commit(writes)
}

// A proposal to run a tool, and the reply that follows, take nine commits: three for each
// action, one for the signal, one for what the tool said, and one for the answer. What the
// model used has no commit of its own.
func TestCommitsOfOneProposal(t *testing.T) {
	tool := act.Tool{Schema: &skills.Tool{Name: "look"},
		Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Done, Text: "a lake"}, nil
		})}
	play, err := model.NewScripted("script", "script.lisp", `(:form (:tool "look")) (:reply "seen")`)
	require.NoError(t, err)
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	c := &commits{Store: st}
	eng, err := engine.Open(t.Context(), cortex.Options{Live: true, Tools: []act.Tool{tool},
		Rules:  fstest.MapFS{"r.lisp": {Data: []byte(`(deftool look :tier :allow :effect :none)`)}},
		Models: cortex.Models{Providers: []model.Provider{play}}}, c)
	require.NoError(t, err)
	c.list = nil
	out, err := eng.Submit(t.Context(), cortex.Signal{Text: "look around", Session: "s"})
	require.NoError(t, err)
	require.Equal(t, "seen", out.Text)
	require.NoError(t, eng.Close())
	assert.Equal(t, []string{"signal", "decision", "intent", "receipt", "budget signal", "decision", "intent",
		"receipt", "budget answer"}, c.list)
}
