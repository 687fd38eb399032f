package capabilities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Drive implements [engine.Driver]: it takes the step that is due, enters what it came to, and looks
// again. What it was doing when the process died is found on the record by the name of the step and
// the number of the try, so that nothing is done twice.
func (c *Capabilities) Drive(ctx context.Context, run *engine.Run) (engine.Rest, error) {
	for {
		r, err := readRun(ctx, run.Logs, run.Log)
		if err != nil {
			return engine.Rest{}, err
		}
		if r.Ended() {
			c.done(r)
			return c.tell(ctx, r)
		}
		v, err := c.load(r.Plan)
		if err != nil {
			return engine.Rest{}, fmt.Errorf("the plan of run %s: %w", run.Log, err)
		}
		d := &driving{c: c, run: run, r: r, v: v}
		rest, err := d.next(ctx)
		if err == nil && rest == nil && run.Stuck { // it has advanced by one event, and is stuck no more
			return engine.Rest{Why: "it is looked at again", Later: true}, nil
		}
		if err != nil || rest != nil {
			return deref(rest), err
		}
	}
}

func deref(r *engine.Rest) engine.Rest {
	if r == nil {
		return engine.Rest{}
	}
	return *r
}

// driving is one look at a run that is driven.
type driving struct {
	c   *Capabilities
	run *engine.Run
	r   *Run
	v   *form.Capability
}

// next does the one thing that is due. It returns how the run rests, or nil to look again.
func (d *driving) next(ctx context.Context) (*engine.Rest, error) {
	if d.r.broke != nil {
		return d.makeUp(ctx)
	}
	i := len(d.r.Steps)
	if i > 0 {
		if last := &d.r.Steps[i-1]; last.State != "done" && last.State != "skipped" {
			return nil, d.breaks(ctx, last.Name, last.State, last.Why)
		}
	}
	if why := d.overBudget(); why != "" {
		return nil, d.breaks(ctx, d.at(i-1), "budget", why)
	}
	if i == len(d.v.Steps) {
		return nil, d.finish(ctx)
	}
	gone, err := d.c.revoked(ctx, d.r.Plan)
	if err != nil {
		return nil, err
	}
	if gone {
		return nil, d.breaks(ctx, d.at(i), "revoked", "the capability was revoked")
	}
	return d.take(ctx, &d.v.Steps[i])
}

// at is the name of a step by its place, for messages.
func (d *driving) at(i int) string {
	if i < 0 || i >= len(d.v.Steps) {
		return ""
	}
	return d.v.Steps[i].Name
}

// overBudget says which budget the steps so far have broken; "" for none. Waiting costs nothing.
func (d *driving) overBudget() string {
	b := d.v.Budget
	switch {
	case b.MS > 0 && d.r.Took > b.MS:
		return fmt.Sprintf("its steps took %d ms, and its budget is %d ms", d.r.Took, b.MS)
	case b.USD > 0 && d.r.Cost > b.USD:
		return fmt.Sprintf("its steps cost %.4f dollars, and its budget is %.4f", d.r.Cost, b.USD)
	}
	return ""
}

// take takes a step.
func (d *driving) take(ctx context.Context, step *form.Step) (*engine.Rest, error) {
	skip, why := d.conditions(step)
	if skip || why != "" {
		state := "skipped"
		if why != "" {
			state = string(engine.StepFailed)
		}
		return nil, d.enter(ctx, kindStep, step.Name, stepEnded{Step: step.Name, State: state, Why: why,
			Out: sexpr.EmptyObject()})
	}
	action, err := d.v.Fill(step, d.r.seen())
	if err != nil {
		return nil, d.enter(ctx, kindStep, step.Name, stepEnded{Step: step.Name, State: string(engine.StepFailed),
			Why: err.Error(), Out: sexpr.EmptyObject()})
	}
	cost := 0.0 // of all tries
	for try := 1; ; try++ {
		t, err := d.run.Take(ctx, engine.Step{ID: step.Name, Try: fmt.Sprint(try), Action: action, Plan: d.r.Plan,
			Version: 1, Timeout: time.Duration(step.MS) * time.Millisecond, Requester: d.r.start.Requester})
		if errors.Is(err, engine.ErrStuck) {
			return nil, d.breaks(ctx, step.Name, "stuck", brokeOff)
		}
		if err != nil {
			return nil, err
		}
		if rest := waits(t); rest != nil {
			return rest, nil
		}
		cost += t.Result.Cost
		if t.State == engine.StepFailed && try <= step.Retries && again(step, t) {
			continue
		}
		return nil, d.ended(ctx, step, t, try, cost)
	}
}

// brokeOff is why a run does not go on by itself: nothing tells that it would not break off again.
const brokeOff = "the engine broke off three times at this step"

// waits says how a run rests at a step that waits; nil if the step has come to an end.
func waits(t engine.Taken) *engine.Rest {
	switch t.State {
	case engine.StepAsked:
		return &engine.Rest{Why: "it waits for approval " + t.Approval}
	case engine.StepInDoubt:
		return &engine.Rest{Why: "whether the step happened is not known: " + t.Reason}
	case engine.StepLater, engine.StepNone:
		return &engine.Rest{Why: t.Reason, Later: true}
	case engine.StepDone, engine.StepFailed, engine.StepDenied:
	}
	return nil
}

// again reports whether a step that failed may be tried once more: nothing happened, or it does no harm
// to do it twice.
func again(step *form.Step, t engine.Taken) bool {
	return t.Result.State == act.Nothing || step.Idempotent
}

// conditions judges :when and :guard of a step. An error is a failure.
func (d *driving) conditions(step *form.Step) (skip bool, why string) {
	f := &skills.Facts{Ctx: d.r.start.Ctx, Env: d.c.host.Env(), Policy: d.c.host.Policy(), Work: d.r.work,
		Now: d.r.start.At}
	call, err := skills.NewAction(d.v.ID, d.r.start.Inputs, "")
	if err != nil {
		return false, err.Error()
	}
	on := skills.NewCase(call, nil, f)
	if holds, err := step.When.Holds(on); err != nil || !holds {
		if err != nil {
			return false, err.Error()
		}
		return true, ""
	}
	switch holds, err := step.Guard.Holds(on); {
	case err != nil:
		return false, err.Error()
	case !holds:
		return false, fmt.Sprintf("the guard does not hold: %v", step.Guard.Form())
	}
	return false, ""
}

// ended enters what a step came to, and what all tries at it cost.
func (d *driving) ended(ctx context.Context, step *form.Step, t engine.Taken, tries int, cost float64) error {
	e := stepEnded{Step: step.Name, State: string(t.State), Decision: t.Decision, Intent: t.Intent, Receipt: t.Receipt,
		Out: sexpr.EmptyObject(), Took: t.Result.Took.Milliseconds(), Cost: cost, Tries: tries,
		Nothing: t.Result.State == act.Nothing}
	switch t.State {
	case engine.StepDone:
		out, err := outputs(step, t.Result)
		if err != nil {
			e.State, e.Why = string(engine.StepFailed), err.Error()
		} else {
			e.Out = out
		}
	case engine.StepDenied, engine.StepFailed, engine.StepNone, engine.StepAsked, engine.StepInDoubt, engine.StepLater:
		e.Why = why(t)
	}
	return d.enter(ctx, kindStep, step.Name, e)
}

// breaks enters that the run does not go on, and makes up for what it did.
func (d *driving) breaks(ctx context.Context, step, code, why string) error {
	return d.enter(ctx, kindBroke, "", broke{Step: step, Code: code, Why: fmt.Sprintf("step %s: %s", step, why)})
}

// finish ends a run whose steps are done.
func (d *driving) finish(ctx context.Context) error {
	outputs, err := d.v.ResultOf(d.r.seen())
	if err == nil {
		err = kept(outputs)
	}
	if err != nil {
		return d.breaks(ctx, d.at(len(d.v.Steps)-1), "result", err.Error())
	}
	return d.enter(ctx, kindApplied, "", applied{Status: statusOK, Outputs: outputs, Took: d.r.Took, Cost: d.r.Cost})
}

// enter enters an event of the run.
func (d *driving) enter(ctx context.Context, kind, key string, data any) error {
	e, err := entry(kind, key, data)
	if err != nil {
		return err
	}
	_, err = d.run.Logs.Append(ctx, logs.Write{Log: d.run.Log, Family: family, By: d.r.Owner}, func(tx *logs.Tx) error {
		tx.Over(kind == kindApplied)
		_, err := tx.Event(e)
		return err
	})
	return err
}

// revoked reports whether a plan may not go on.
func (c *Capabilities) revoked(ctx context.Context, plan string) (bool, error) {
	r, err := c.registry(ctx)
	if err != nil {
		return false, err
	}
	return r.state(plan) == Revoked, nil
}
