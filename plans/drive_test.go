package plans_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxAdvances bounds a run of a workflow that ships.
const maxAdvances = 500

// handed is what a scripted agent hands in for one attempt.
type handed struct {
	Notes     *string           `json:"notes"`
	Artifacts []json.RawMessage `json:"artifacts"`
	Context   json.RawMessage   `json:"context"`
	Refused   []handed          `json:"refused"` // attempts before, which must not pass
	Because   string            `json:"because"`
}

// script is all that a scripted agent hands in, beside plain notes.
type script struct {
	Start handed                     `json:"start"`
	Steps map[string]json.RawMessage `json:"steps"` // one, or a list by iteration
	Path  []string                   `json:"path"`
}

// of is what the script has for a step instance; plain notes if it has nothing.
func (s script) of(t *testing.T, at *plans.Step, iteration int) (out handed) {
	t.Helper()
	text := s.Steps[at.ID]
	var each []handed
	if json.Unmarshal(text, &each) == nil && iteration < len(each) {
		return each[iteration]
	}
	if text != nil && text[0] == '{' {
		require.NoError(t, json.Unmarshal(text, &out))
	}
	if at.Probe != "" {
		out.Artifacts = []json.RawMessage{
			[]byte(`{"kind":"cortex.probe","capability":"` + at.Probe + `","available":true}`),
		}
	}
	return out
}

// agent drives one plan.
type agent struct {
	t            *testing.T
	plan         *plans.Plan
	script       script
	work         sexpr.Value
	sources      work.Sources
	capabilities map[string]advance.Capability
}

func value(t *testing.T, text []byte) sexpr.Value {
	t.Helper()
	v, err := sexpr.FromJSON(text)
	require.NoError(t, err)
	return v
}

// merge adds a context to the work.
func (a *agent) merge(context []byte, from work.Source) {
	if context == nil {
		return
	}
	var err error
	a.work, a.sources, err = work.Merge(a.work, a.sources, value(a.t, context), from)
	require.NoError(a.t, err)
}

// take hands in one attempt, and returns its artifacts and why it does not pass.
func (a *agent) take(step *plans.Step, h handed) ([]sexpr.Value, []state.Reason) {
	out := advance.Output{Notes: "Did what " + step.ID + " asks for.", Work: a.work}
	if h.Notes != nil {
		out.Notes = *h.Notes
	}
	for _, text := range h.Artifacts {
		out.Artifacts = append(out.Artifacts, value(a.t, text))
	}
	return out.Artifacts, advance.Check(a.plan, step, out, a.capabilities)
}

// A scripted agent drives every workflow to its end, along the path that its script names, and
// is refused where the script says so.
func TestT84_ScriptedAgentDrivesEveryWorkflow(t *testing.T) {
	registry := hosted(t)
	for _, file := range shipped(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			plan, err := plans.Compile(plans.Source{Name: file, Text: text}, plans.Options{Registry: registry})
			require.NoError(t, err)
			a := &agent{t: t, plan: plan, work: sexpr.EmptyObject(), capabilities: map[string]advance.Capability{}}
			scripted, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(file, ".json"), ".lisp") + ".script.json")
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(scripted, &a.script))
			assert.Equal(t, a.script.Path, a.drive())
		})
	}
}

// drive takes the plan from its beginning to its end, and returns the instances that were due.
// Instances of probes, which the compiler adds, are left out. Tools and persons are taken to have
// done and said what the script has for them.
func (a *agent) drive() (path []string) {
	a.merge(a.script.Start.Context, work.FromHost)
	var at state.State = state.Init{}
	controls := map[state.Key]advance.Control{}
	for range maxAdvances {
		due, err := advance.Next(a.plan, at, advance.Input{Work: a.work, Controls: controls, Mode: advance.StopOnUser})
		require.NoError(a.t, err)
		require.Empty(a.t, due.Reasons)
		if due.Step == nil {
			assert.IsType(a.t, state.Complete{}, due.State)
			return path
		}
		running, ok := due.State.(state.Running)
		require.True(a.t, ok)
		assert.Empty(a.t, advance.Ready(due.Step, due.Work))
		key, iteration := running.Pending.Key(), 0
		if len(running.Loops) > 0 {
			iteration = running.Loops[0].Iteration
		}
		h := a.script.of(a.t, due.Step, iteration)
		for _, early := range h.Refused {
			_, reasons := a.take(due.Step, early)
			require.NotEmpty(a.t, reasons, "%s should not pass", key)
			codes := map[string]state.Code{
				"ASSESSMENT_FOLLOWUP_REQUIRED": state.FollowUp, "INVALID_REQUIRED_OUTPUT": state.InvalidOutput,
				"MISSING_REQUIRED_OUTPUT": state.MissingOutput,
			}
			assert.Equal(a.t, codes[early.Because], reasons[0].Code, "%s", key)
		}
		a.fills(due)
		a.merge(h.Context, work.FromAgent)
		if due.Step.By == plans.ByPrompt {
			artifacts, reasons := a.take(due.Step, h)
			require.Empty(a.t, reasons, "%s", key)
			if c, ok := advance.ControlOf(a.plan, due.Step, artifacts); ok {
				controls[key] = c
			}
		}
		if due.Step.Probe != "" {
			a.capabilities[due.Step.Probe] = advance.Available
		} else {
			path = append(path, string(key))
		}
		at = state.Running{Position: running.With(key)}
	}
	require.Fail(a.t, "the run did not end", "%d advances", maxAdvances)
	return nil
}

// fills sees that what a tool does, and what a person is asked, can be filled in.
func (a *agent) fills(due advance.Due) {
	if due.Step.Tool != nil {
		args, reasons := slots.Fill(due.Step, due.Step.Tool.Args.Value(), due.Work)
		assert.Empty(a.t, reasons, due.Step.ID)
		assert.NotContains(a.t, args.String(), "{{", due.Step.ID)
	}
	if q := due.Step.Person; q != nil {
		for _, text := range append([]string{q.Question}, q.Choices...) {
			text, reasons := slots.FillText(due.Step, text, due.Work)
			assert.Empty(a.t, reasons, due.Step.ID)
			assert.NotContains(a.t, text, "{{", due.Step.ID)
		}
	}
}
