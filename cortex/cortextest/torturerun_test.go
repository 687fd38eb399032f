package cortextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// runSteps are the tools of the steps of each run, and the argument that has words in it.
var runSteps = [][2]string{{"note", "text"}, {"risky", "what"}, {"note", "text"}}

// tries is how often a step is tried that did nothing.
const tries = 3

// Drive implements [cortex.Driver] for a tortured engine: a note, what needs a person, and a note.
func (w *toiler) Drive(ctx context.Context, r *cortex.Run) (cortex.Rest, error) {
	w.reach("before-advance")
	if r.Stuck {
		return cortex.Rest{}, w.enter(ctx, r.Logs, r.Log, "over", nil)
	}
	for i, step := range runSteps {
		id := fmt.Sprint("s", i)
		over, try, err := w.stage(r.Logs, r.Log, id)
		if err != nil {
			return cortex.Rest{}, err
		}
		for !over {
			a, err := cortex.NewAction(step[0], sexpr.Plist(step[1], sexpr.Str(r.Log+" "+id)), "")
			if err != nil {
				return cortex.Rest{}, err
			}
			got, err := r.Take(ctx, cortex.Step{ID: id, Try: fmt.Sprint(try), Action: a, Plan: "torture", Version: 1})
			w.reach("after-step")
			switch {
			case err != nil:
				return cortex.Rest{}, err
			case got.State == engine.StepAsked, got.State == engine.StepInDoubt:
				return cortex.Rest{Why: got.Reason}, nil
			case got.State == engine.StepLater:
				return cortex.Rest{Why: got.Reason, Later: true}, nil
			case got.State == engine.StepFailed && got.Result.State == act.Nothing && try < tries:
				err = w.enter(ctx, r.Logs, r.Log, fmt.Sprint("again_", id, "_", try), nil)
				try++
			default:
				over, err = true, w.enter(ctx, r.Logs, r.Log, "over_"+id, nil)
			}
			if err != nil {
				return cortex.Rest{}, err
			}
			w.reach("after-advance")
		}
	}
	return cortex.Rest{}, w.enter(ctx, r.Logs, r.Log, "over", nil)
}

// stage reads off the log whether a step is over, and otherwise which try is due.
func (w *toiler) stage(l *logs.Logs, log, id string) (over bool, try int, err error) {
	if _, over, err = l.Find(log, "over_"+id); over || err != nil {
		return over, 0, err
	}
	for try = 1; try < tries; try++ {
		if _, again, err := l.Find(log, fmt.Sprint("again_", id, "_", try)); err != nil || !again {
			return false, try, err
		}
	}
	return false, try, nil
}

// enter enters an event into the log of a run, once.
func (w *toiler) enter(ctx context.Context, l *logs.Logs, log, what string, more func(*logs.Tx)) error {
	got, err := l.Append(ctx, logs.Write{Log: log, Family: "torture", By: "ann"}, func(tx *logs.Tx) error {
		_, err := tx.Event(logs.Event{ID: what, Kind: "noted", Dedupe: what, Data: "{}"})
		tx.Over(what == "over")
		if more != nil {
			more(tx)
		}
		return err
	})
	if err == nil {
		w.say(event{Do: "ack", Seq: got.Record, Kind: record.KindEvents})
	}
	return err
}

// runs starts a run, and a person says yes, no or nothing to what it asks.
func (w *toiler) runs(ctx context.Context, n int, rng *rand.Rand) error {
	l, log := w.e.Hosts().Logs(), fmt.Sprintf("run_%d_%d_%x", w.life, n, rng.Uint64())
	if err := w.enter(ctx, l, log, "began", func(tx *logs.Tx) {
		tx.Acts(fmt.Sprint("d", rng.IntN(3)), "")
		tx.Wake()
	}); err != nil {
		return err
	}
	if err := w.e.Hosts().Rest(ctx, log); err != nil {
		return err
	}
	h, err := l.Head(log)
	if err != nil {
		return err
	}
	tried, err := record.TriedAt(w.e.Journal(), record.Step{Root: h.Root, ID: "s1", Try: "1"})
	if err != nil || tried.Approval == "" {
		return err
	}
	switch rng.IntN(6) {
	case 0:
		return w.e.Deny(ctx, tried.Approval, cortex.Approver{Name: "ana"}, "no")
	case 1:
		return nil // it will expire
	case 2:
		return w.approve(ctx, tried.Approval) // the process may end before the run goes on
	}
	if err := w.approve(ctx, tried.Approval); err != nil {
		return err
	}
	w.reach("after-wake")
	return w.e.Hosts().Rest(ctx, log)
}

// resting checks that each run that is at rest is over or waits for something: no wake-up is lost.
func (w *toiler) resting(ctx context.Context) error {
	if err := w.e.Operations().Wait(ctx); err != nil {
		return err
	}
	all, err := w.e.Hosts().Logs().List(ctx)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.Over {
			continue
		}
		if _, due, err := record.DueAt(w.e.Journal(), h.Root); err != nil {
			return err
		} else if due {
			continue // the next engine, or a heartbeat, takes it up
		}
		waits, err := w.waits(h)
		if err != nil {
			return err
		}
		if !waits {
			w.say(event{Do: "bad", What: fmt.Sprintf("a wake-up is lost: %s is at rest, and waits for nothing", h.Log)})
		}
	}
	return nil
}

// waits reports whether a run waits for a person, or for an effect in doubt.
func (w *toiler) waits(h logs.Head) (bool, error) {
	j := w.e.Journal()
	for i := range runSteps {
		id := fmt.Sprint("s", i)
		over, try, err := w.stage(w.e.Hosts().Logs(), h.Log, id)
		if err != nil {
			return false, err
		}
		if over {
			continue
		}
		t, err := record.TriedAt(j, record.Step{Root: h.Root, ID: id, Try: fmt.Sprint(try)})
		switch {
		case err != nil || t.Decision == 0:
			return false, err
		case t.Intent != 0:
			open, err := j.Get(record.TableIntent.Key(t.Intent))
			return open != nil, err
		}
		d, _, err := w.e.Hosts().Decision(t.Decision)
		if err != nil || d.Kind != reason.Ask {
			return false, err
		}
		a, err := approval.Load(j, t.Approval)
		return err == nil && a.State == approval.Pending && a.Waits(h.Root), err
	}
	return false, nil
}

var _ cortex.Driver = (*toiler)(nil)

// checkRuns says what is wrong with the runs, unless the engine is about to end.
func (w *toiler) checkRuns(ctx context.Context) {
	if err := w.resting(ctx); err != nil && ctx.Err() == nil && w.dead() == nil && !errors.Is(err, cortex.ErrClosed) {
		w.say(event{Do: "bad", What: "runs: " + err.Error()})
	}
}
