package traces_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

const rules = `(deftool look :params (:at string) :tier :allow :effect :none)
(deftool paint :params (:what string) :tier :ask :effect :external)
(deftool never :tier :deny)`

func open(t *testing.T, script string) *cortex.Engine {
	t.Helper()
	play, err := model.NewScripted("house", "script.lisp", script)
	require.NoError(t, err)
	did := act.Func(func(_ context.Context, c act.Call) (act.Receipt, error) {
		return act.Receipt{State: act.Done, Text: "did " + c.Action.Tool()}, nil
	})
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}},
		Models: cortex.Models{Providers: []model.Provider{play}}, Traces: engine.Traces{Mode: engine.TraceDigest},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "look"}, Actuator: did},
			{Schema: &skills.Tool{Name: "paint"}, Actuator: did}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func say(t *testing.T, e *cortex.Engine, session, text string) *cortex.Outcome {
	t.Helper()
	out, err := e.Submit(t.Context(), cortex.Signal{Sensor: "user-input", Text: text, Session: session, Principal: "ann"})
	require.NoError(t, err)
	return out
}

// told are the traces that a fold makes of a record.
func told(t *testing.T, e *cortex.Engine, only uint64) (out []*traces.Trace) {
	t.Helper()
	f := traces.Fold{Only: only, Tell: func(x *traces.Trace) error { out = append(out, x); return nil }}
	require.NoError(t, e.Journal().Records(1, f.Add))
	require.NoError(t, f.End())
	return out
}

// shape is a trace in words.
func shape(x *traces.Trace) (s string) {
	s = fmt.Sprintf("late=%v thoughts=%d", x.Late, len(x.Thoughts))
	for _, c := range x.Calls {
		s += fmt.Sprintf("; %s", c.Kind)
		if c.Action != nil {
			s += " " + c.Action.Tool()
		}
		for _, w := range c.Waits {
			s += " wait:" + string(w.State)
		}
		for _, r := range c.Runs {
			s += " run:" + string(r.Receipt.State)
		}
	}
	for _, a := range x.Answers {
		s += fmt.Sprintf("; answer %q waits=%v", a.Text, a.Approval != "")
	}
	return s
}

// TestR24_ATraceIsARootSignal: each record belongs to one trace, in the order of the record.
func TestR24_ATraceIsARootSignal(t *testing.T) {
	e := open(t, `(:calls ((:id "1" :name "never" :args ()))) (:calls ((:id "2" :name "look" :args (:at "a")))
		:usage (:in 5 :out 2 :cost 0.5)) (:reply "seen") (:reply "hello")`)
	one := say(t, e, "s1", "look")
	two := say(t, e, "s2", "hi")
	a, err := cortex.NewAction("look", map[string]any{"at": "b"}, "")
	require.NoError(t, err)
	d, err := e.Decide(t.Context(), a, nil)
	require.NoError(t, err)

	got := told(t, e, 0)
	require.Len(t, got, 3)
	assert.Equal(t, []uint64{one.Signal, two.Signal, 0}, []uint64{got[0].Root, got[1].Root, got[2].Root})
	assert.Equal(t, `late=false thoughts=3; deny never; allow look run:done; allow reply run:done; answer "seen" waits=false`,
		shape(got[0]))
	assert.Equal(t, `late=false thoughts=1; allow reply run:done; answer "hello" waits=false`, shape(got[1]))
	assert.Equal(t, `late=false thoughts=0; allow look`, shape(got[2]))
	assert.Equal(t, d.ID, got[2].Calls[0].ID)
	assert.Equal(t, traces.Usage{Cost: 0.5, TokensIn: 5, TokensOut: 2, Took: got[0].Usage().Took}, got[0].Usage())
	for i, c := range got[0].Calls {
		assert.Same(t, got[0].Thoughts[i], c.Thought, "a decision is on the answer before it")
	}
	only := told(t, e, one.Signal)
	require.Len(t, only, 1)
	assert.Equal(t, got[0], only[0])
}

// TestR24_WhatComesLaterIsALateTrace: a card that is answered after the signal was.
func TestR24_WhatComesLaterIsALateTrace(t *testing.T) {
	e := open(t, `(:calls ((:id "1" :name "paint" :args (:what "door")))) (:reply "painted")`)
	out := say(t, e, "s1", "paint the door")
	require.NotEmpty(t, out.Approval)
	require.Equal(t, `late=false thoughts=1; ask paint; answer "" waits=true`, shape(told(t, e, 0)[0]))
	require.NoError(t, e.Approve(t.Context(), out.Approval,
		cortex.Approver{Name: "ben", Classes: []string{"operator"}}))
	require.Eventually(t, func() bool { x := told(t, e, 0)[0]; return len(x.Answers) > 1 }, 5e9, 1e6)
	got := told(t, e, 0)
	require.Len(t, got, 1, "the answer waited for it")
	assert.Contains(t, shape(got[0]), "ask paint wait:approved; allow paint run:done; allow reply run:done; answer")
	assert.True(t, got[0].Answered())
	assert.Equal(t, record.Answer{Signal: out.Signal, Text: "painted"}, got[0].Answers[1].Answer)
	assert.GreaterOrEqual(t, got[0].End(), got[0].Answers[1].At)
}
