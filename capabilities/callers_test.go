package capabilities_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/library"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/skills"
)

const greetings = `
(defcapability greet.twice
  :version "1.0.0" :owner "team" :scope :project
  :inputs (:word string) :required (:word) :outputs (:said string)
  :plan ((one :tool "greet" :args (:word "{{word}}") :undo "only reads")
         (two :tool "greet" :args (:word "{{word}}") :out (:said text) :undo "only reads"))
  :result (:said "{{work.said}}"))
`

// greeter is an engine in which greet.twice is in force.
type greeter struct {
	*cortex.Engine
	said   atomic.Int64
	driver *runs.Driver
}

func newGreeter(t *testing.T, models ...model.Provider) *greeter {
	t.Helper()
	g, caps := &greeter{driver: &runs.Driver{}}, capabilities.New()
	greet := act.Func(func(_ context.Context, c act.Call) (act.Receipt, error) {
		g.said.Add(1)
		return act.Receipt{State: act.Done, Text: c.Action.Args().GetText("word")}, nil
	})
	var err error
	g.Engine, err = cortex.Open(t.Context(), cortex.Options{Live: true, Heartbeat: time.Hour, Capabilities: caps,
		Driver: g.driver, Models: cortex.Models{Providers: models},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(
			`(deftool greet :params (:word string) :required (:word) :tier :allow :effect :none)`)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "greet"}, Actuator: greet}}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	all, err := form.Read("greet.lisp", []byte(greetings))
	require.NoError(t, err)
	require.NoError(t, caps.Register(t.Context(), all[0], "op"))
	for _, s := range []capabilities.State{capabilities.Tested, capabilities.OnTrial, capabilities.InForce} {
		require.NoError(t, caps.Move(t.Context(), "greet.twice", "1.0.0", s, "op", ""))
	}
	return g
}

func (g *greeter) replays(t *testing.T) {
	t.Helper()
	rep, err := g.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Positive(t, rep.Decisions)
	assert.Empty(t, rep.Differences)
}

// A model calls a capability as it calls any tool, and is told the Result.
func TestAModelCallsACapability(t *testing.T) {
	script, err := model.NewScripted("script", "script.lisp", `
(:form (:type :request :target :tool :payload (:tool "greet.twice" :args (:word "hello")) :explanation "as asked") :when ("greet"))
(:reply "done" :repeat t)`)
	require.NoError(t, err)
	g := newGreeter(t, script)
	out, err := g.Submit(t.Context(), cortex.Signal{Type: "event", Sensor: "user-input", Principal: "ana", Session: "s",
		Text: "greet us"})
	require.NoError(t, err)
	assert.Equal(t, "done", out.Text)
	require.NotEmpty(t, out.Decisions)
	assert.Equal(t, "allow", out.Decisions[0].Kind.String())
	assert.EqualValues(t, 2, g.said.Load())
	g.replays(t)
}

// native is a model that calls tools natively, once.
type native struct{ offered []string }

func (*native) Name() string { return "native" }

func (n *native) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	if n.offered != nil {
		return model.Completion{Text: "done"}, nil
	}
	n.offered = []string{}
	for _, t := range p.Tools {
		n.offered = append(n.offered, t.Name)
	}
	return model.Completion{Calls: []model.NativeCall{{ID: "c1", Name: "greet.twice", Arguments: `{"word":"hello"}`}}}, nil
}

// A capability in force is among the tools that a model is offered, and a native call starts it.
func TestANativeCallStartsACapability(t *testing.T) {
	n := &native{}
	g := newGreeter(t, n)
	out, err := g.Submit(t.Context(), cortex.Signal{Type: "event", Sensor: "user-input", Principal: "ana", Session: "s",
		Text: "greet us"})
	require.NoError(t, err)
	assert.Equal(t, "done", out.Text)
	assert.Contains(t, n.offered, "greet.twice")
	assert.EqualValues(t, 2, g.said.Load())
	g.replays(t)
}

// A step of a workflow starts a capability, and gets its outputs.
func TestAWorkflowsStepCallsACapability(t *testing.T) {
	g := newGreeter(t)
	flows := fstest.MapFS{"greet.lisp": {Data: []byte(`
(:id "my.greet" :name "Greet" :version "1.0.0"
 :steps ((:id "say" :title "Say it" :tool "greet.twice" :args (:word "hello"))
         (:id "look" :title "Look back" :prompt "Say how it was taken.")))`)}}
	shelf := library.Load([]library.Root{{FS: flows, Kind: plans.KindProject}}, plans.Options{})
	all, err := runs.New(runs.Options{Logs: g.Hosts().Logs(), Library: shelf, Driver: g.driver, Try: g.Hosts().Try})
	require.NoError(t, err)
	run, err := all.Begin(t.Context(), runs.Caller{Principal: "ana"},
		&tools.StartWorkflow{WorkflowID: "my.greet", Goal: "try it"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		r, err := run.Read(t.Context())
		return err == nil && r.Pending != nil && r.Pending.StepID == "look"
	}, 10*time.Second, 10*time.Millisecond)
	assert.EqualValues(t, 2, g.said.Load())
	g.replays(t)
}
