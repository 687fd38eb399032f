package capabilities

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/sexpr"
)

// makeUp makes up for the newest step that it has not made up for; the failed one too, since it may
// have happened in part. After the last one the run ends.
func (d *driving) makeUp(ctx context.Context) (*engine.Rest, error) {
	for i := len(d.r.Steps) - 1; i >= 0; i-- {
		s := d.r.Steps[i]
		if _, ok := d.r.undone[s.Name]; ok || s.Intent == 0 || s.Nothing {
			continue
		}
		if step := stepOf(d.v, s.Name); step != nil && step.Undo != nil {
			return d.undo(ctx, step, s)
		}
	}
	return nil, d.fail(ctx)
}

// undo makes up for a step, once.
func (d *driving) undo(ctx context.Context, step *form.Step, s StepDone) (*engine.Rest, error) {
	action, err := d.v.FillUndo(step, d.r.seen())
	if err != nil {
		return nil, d.enter(ctx, kindUndone, step.Name, undone{Step: step.Name, State: string(engine.StepFailed),
			Why: err.Error()})
	}
	for try := 1; ; try++ {
		t, err := d.run.Take(ctx, engine.Step{ID: undoOf(step.Name), Try: fmt.Sprint(try), Action: action, Plan: d.r.Plan,
			Version: 1, Undo: true, Undoes: s.Intent, Requester: d.r.start.Requester})
		if errors.Is(err, engine.ErrStuck) {
			t, err = engine.Taken{State: engine.StepFailed, Result: act.Receipt{State: act.Failed, Error: brokeOff}}, nil
		}
		if err != nil {
			return nil, err
		}
		if rest := waits(t); rest != nil {
			return rest, nil
		}
		if t.State == engine.StepFailed && t.Result.State == act.Nothing && try < mostUndos {
			continue
		}
		return nil, d.enter(ctx, kindUndone, step.Name, undone{Step: step.Name, State: string(t.State), Intent: t.Intent,
			Why: why(t)})
	}
}

// mostUndos is how often it is tried to make up for a step, as long as nothing happens.
const mostUndos = 3

// why says why a step was not done, in at most maxWhy bytes.
func why(t engine.Taken) string { return clip(because(t), maxWhy) }

const maxWhy = 2000

func because(t engine.Taken) string {
	switch {
	case t.State == engine.StepDone:
		return ""
	case t.State == engine.StepDenied:
		return t.Key + ": " + t.Reason
	case t.Result.Error != "":
		return t.Result.Error
	case t.Result.State == act.Nothing:
		return "nothing happened"
	}
	return "it failed and did not say why"
}

// fail ends a run that broke. It was refused if nothing of it had begun.
func (d *driving) fail(ctx context.Context) error {
	a := applied{Status: statusRefused, Outputs: sexpr.EmptyObject(), Why: d.r.broke.Why, Took: d.r.Took, Cost: d.r.Cost}
	for _, s := range d.r.Steps {
		if s.Intent != 0 && !s.Nothing {
			a.Status = statusPartial
		}
		if u, ok := d.r.undone[s.Name]; ok && u.State != string(engine.StepDone) {
			a.Why += fmt.Sprintf("; step %s could not be made up for, and a person has to look", s.Name)
		}
	}
	return d.enter(ctx, kindApplied, "", a)
}
