package runs

import (
	"context"
	"errors"
	"sync"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/sexpr"
)

// Driver takes the steps of runs that no agent does: those of tools and of people. It goes into the
// engine's options, and into [Options] too, so that both read a run once.
//
// It is one idempotent function: it looks what is due at the newest place of a run, takes it, enters
// the outcome, and looks again, until the run rests. What it was doing when the process died is
// found on the record by the key of the attempt, so that nothing is done twice. The zero Driver is
// ready for use.
type Driver struct {
	mu   sync.Mutex
	runs *Runs
}

// of returns the runs of a record. The engine drives before anything else of the program has it.
func (d *Driver) of(l *logs.Logs) *Runs {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs == nil {
		d.runs = over(Options{Logs: l})
	}
	return d.runs
}

// Drive implements [engine.Driver].
func (d *Driver) Drive(ctx context.Context, run *engine.Run) (engine.Rest, error) {
	r := d.of(run.Logs)
	for {
		j, rest, err := r.due(ctx, event.SessionID(run.Log))
		if err != nil {
			return rest, err
		}
		if j == nil { // a card that is open is of a place that the run has left
			return rest, run.Leave(ctx, "", "")
		}
		if err := run.Leave(ctx, j.step.ID, j.step.Try); err != nil {
			return rest, err
		}
		j.run(run)
		if run.Stuck && !j.confirms {
			return engine.Rest{Why: "it broke off three times at this step"}, r.settle(ctx, j, stuck(j))
		}
		rests, rest, err := r.goOn(ctx, run, j)
		if err != nil || rests {
			return rest, err
		}
	}
}

// goOn takes a job as far as it goes, and says whether the run rests then.
func (r *Runs) goOn(ctx context.Context, run *engine.Run, j *job) (rests bool, rest engine.Rest, err error) {
	if j.leftOut != "" {
		return false, rest, r.settle(ctx, j, leftOut(j))
	}
	if len(j.reasons) > 0 {
		return false, rest, r.settle(ctx, j, handed{attempt: j.attempt, context: sexpr.EmptyObject(), engine: true,
			reasons: j.reasons})
	}
	t, err := j.take(ctx, run)
	if err != nil {
		return false, rest, err
	}
	switch t.State {
	case engine.StepDone, engine.StepFailed, engine.StepDenied:
		if j.confirms {
			return false, rest, r.confirmed(ctx, j, t)
		}
		return false, rest, r.settle(ctx, j, outcomeOf(j, t))
	case engine.StepAsked:
		if j.mode == advance.NeverStop {
			return false, rest, r.settle(ctx, j, unasked(j))
		}
		return true, engine.Rest{Why: "it waits for approval " + t.Approval}, nil
	case engine.StepInDoubt:
		return true, engine.Rest{Why: "whether the step happened is not known: " + t.Reason}, nil
	case engine.StepLater, engine.StepNone:
		return true, engine.Rest{Why: t.Reason, Later: true}, nil
	}
	return false, rest, errors.New("a step in a state that this driver does not know: " + string(t.State))
}
