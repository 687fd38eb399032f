package capabilities

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/sexpr"
)

// Run is a run of a capability, as its log says. It is a fold: read again, it is the same.
type Run struct {
	Log, Session string
	Owner        string
	Capability   string
	Version      string
	Plan         string
	Status       string // "running", "making up", or that of the Result
	Why          string // of a run that broke
	Outputs      sexpr.Value
	Steps        []StepDone
	Took         int64   // milliseconds of its steps
	Cost         float64 // US dollars
	Waits        string  // what it waits for; "" if it does not

	start   started
	told    *awaited // how its Result is told, where that had to be said
	repeats int
	ended   int64 // when it got its Result, in Unix nanoseconds
	broke   *broke
	undone  map[string]undone
	end     *applied
	next    uint64 // of the log
	work    sexpr.Value
}

// StepDone is what a step of a run came to.
type StepDone struct {
	Name, State, Why          string
	Decision, Intent, Receipt uint64
	Undone                    string // what making up for it came to; "" if that was not tried
	Nothing                   bool   // it certainly did not happen
}

// readRun folds the log of a run. A log that is damaged is an error: nothing goes on from a part of it.
func readRun(ctx context.Context, l *logs.Logs, log string) (*Run, error) {
	got, err := l.Read(ctx, log)
	if err != nil {
		return nil, err
	}
	if got.Health.Condition != logs.Healthy {
		return nil, fmt.Errorf("log %s is %s: %w", log, got.Health.Condition, got.Health.Err)
	}
	r := &Run{Log: log, Session: got.Head.Acts, Owner: got.Head.Owner, Status: "running", undone: map[string]undone{},
		work: sexpr.EmptyObject(), next: got.Head.Next}
	for _, a := range got.Appends {
		for _, e := range got.Events[a.First : a.Last+1] {
			if err := r.apply(e); err != nil {
				return nil, fmt.Errorf("log %s: %w", log, err)
			}
			if e.Kind == kindApplied {
				r.ended = a.At
			}
		}
	}
	return r, nil
}

func (r *Run) apply(e logs.Event) (err error) {
	switch e.Kind {
	case kindStarted:
		r.start, err = decode[started](e)
		r.Capability, r.Version, r.Plan = r.start.Capability, r.start.Version, r.start.Plan
	case kindStep:
		s, err := decode[stepEnded](e)
		if err != nil {
			return err
		}
		r.Steps = append(r.Steps, StepDone{Name: s.Step, State: s.State, Why: s.Why, Decision: s.Decision,
			Intent: s.Intent, Receipt: s.Receipt, Nothing: s.Nothing})
		for kv := s.Out.Items(); len(kv) > 1; kv = kv[2:] {
			r.work = r.work.With(kv[0].Text(), kv[1])
		}
		r.Took, r.Cost = r.Took+s.Took, r.Cost+s.Cost
	case kindBroke:
		b, err := decode[broke](e)
		if err != nil {
			return err
		}
		r.broke, r.Status, r.Why = &b, "making up", b.Why
	case kindUndone:
		u, err := decode[undone](e)
		if err != nil {
			return err
		}
		r.undone[u.Step] = u
		for i := range r.Steps {
			if r.Steps[i].Name == u.Step {
				r.Steps[i].Undone = u.State
			}
		}
	case kindApplied:
		a, err := decode[applied](e)
		if err != nil {
			return err
		}
		r.end, r.Status, r.Outputs = &a, a.Status, a.Outputs
	case kindAwaited:
		a, err := decode[awaited](e)
		if err != nil {
			return err
		}
		r.told = &a
	case kindRepeat: // says nothing about how the run went
		r.repeats++
	default:
		err = fmt.Errorf("event %d is of the unknown kind %q", e.Index, e.Kind)
	}
	return err
}

// seen is what slots of the plan may show here.
func (r *Run) seen() form.Seen {
	return form.Seen{Inputs: r.start.Inputs, Work: r.work, Ctx: r.start.Ctx}
}

// Ended reports whether the run has its Result.
func (r *Run) Ended() bool { return r.end != nil }

// maxResult bounds the text of a Result: 50 tokens, of four bytes each.
const maxResult = 200

// Result is what a model is told of the run.
func (r *Run) Result() string {
	text := fmt.Sprintf("%s %s: %s", r.Capability, r.Version, r.Status)
	if r.end != nil && r.end.Why != "" {
		text += ": " + r.end.Why
	}
	if len(r.Outputs.Items()) > 0 {
		text += " " + r.Outputs.String()
	}
	return clip(text, maxResult)
}
