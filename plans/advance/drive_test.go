package advance_test

import (
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

func compile(t require.TestingT, text string) *plans.Plan {
	p, err := plans.Compile(plans.Source{Name: "w", Text: []byte(text)}, plans.Options{})
	require.NoError(t, err)
	return p
}

// flow is a workflow with these steps.
func flow(steps string) string {
	return `{"id":"x.y","name":"n","description":"d","version":"1.0.0","steps":[` + steps + `]}`
}

func object(t require.TestingT, text string) sexpr.Value {
	v, err := sexpr.FromJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func control(decision string) sexpr.Value {
	return sexpr.Plist(
		"kind",
		sexpr.Str("wr.loop_control"),
		"loopId",
		sexpr.Str("some_other_loop"),
		"decision",
		sexpr.Str(decision),
	)
}

// agent is a scripted agent: it answers each step instance.
type agent func(k state.Key, step *plans.Step) (notes string, artifacts []sexpr.Value, context string)

// drive is a run in memory. It folds what the runs package folds from its log.
type drive struct {
	plan     *plans.Plan
	mode     advance.Mode
	state    state.State
	work     sexpr.Value
	controls map[state.Key]advance.Control
	taken    []state.Key
	trace    []advance.Entry
	gaps     []state.Gap
	reasons  []state.Reason // of the attempt that did not pass
	capable  map[string]advance.Capability
}

func start(plan *plans.Plan, mode advance.Mode, work sexpr.Value) *drive {
	return &drive{plan: plan, mode: mode, state: state.Init{}, work: work, controls: map[state.Key]advance.Control{}}
}

func (d *drive) next(t require.TestingT) advance.Due {
	due, err := advance.Next(d.plan, d.state, advance.Input{Work: d.work, Controls: d.controls, Mode: d.mode})
	require.NoError(t, err)
	if len(d.taken) < 50 {
		require.NoError(t, state.Check(due.State))
	}
	return due
}

// attempt hands in an output for the step that is due, and says whether it advanced.
func (d *drive) attempt(t require.TestingT, due advance.Due, act agent) bool {
	k := due.State.(state.Running).Pending.Key()
	notes, artifacts, context := act(k, due.Step)
	w := d.work
	if context != "" {
		var err error
		w, _, err = work.Merge(d.work, nil, object(t, context), work.FromAgent)
		require.NoError(t, err)
	}
	d.reasons = nil
	for _, r := range advance.Check(d.plan, due.Step,
		advance.Output{Notes: notes, Artifacts: artifacts, Work: w}, d.capable) {
		if advance.Decide(d.mode, r.Code, due.Step.By) == advance.RecordGap {
			d.gaps = append(d.gaps, r.Gap())
			continue
		}
		d.reasons = append(d.reasons, r)
	}
	if len(d.reasons) > 0 {
		return false
	}
	if c, ok := advance.ControlOf(d.plan, due.Step, artifacts); ok {
		d.controls[k] = c
	}
	before, was := d.state, d.work
	d.state, d.work = state.Running{Position: due.State.(state.Running).With(k)}, w
	after := d.next(t)
	if d.reasons = after.Reasons; len(d.reasons) > 0 {
		d.state, d.work = before, was
		delete(d.controls, k)
		return false
	}
	d.note(after)
	d.taken = append(d.taken, k)
	d.state = after.State
	return true
}

func (d *drive) note(due advance.Due) {
	d.trace, d.gaps = append(d.trace, due.Trace...), append(d.gaps, due.Gaps...)
}

// begin selects the first step.
func (d *drive) begin(t require.TestingT) advance.Due {
	due := d.next(t)
	d.note(due)
	d.state, d.reasons = due.State, due.Reasons
	return due
}

// run drives to the end, or to the first attempt that does not pass.
func (d *drive) run(t require.TestingT, act agent) bool {
	d.begin(t)
	for range 30_000 {
		if len(d.reasons) > 0 {
			return false
		}
		due := d.next(t)
		if _, over := due.State.(state.Complete); over {
			return true
		}
		if !d.attempt(t, due, act) {
			return false
		}
	}
	require.Fail(t, "the run does not end")
	return false
}

func (d *drive) kinds() (kinds []advance.EntryKind) {
	for _, e := range d.trace {
		if e.Kind != advance.SelectedStep {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}
