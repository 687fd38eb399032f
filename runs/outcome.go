package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/binding"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// askRelease is what helps where a step of the engine stands still.
const askRelease = "Once that is settled, a person releases the run: cortex run release"

// askRelease is what helps where a person refused a step.
func (p *place) askRelease() string { return askRelease + " " + refOf(p.log).Label + "." }

// undone is an attempt of the engine that did not do its step.
func undone(j *job, code state.Code, message string) handed {
	return handed{attempt: j.attempt, context: sexpr.EmptyObject(), engine: true, reasons: []state.Reason{{Code: code,
		Pointer: state.Pointer{Kind: state.AtStep, StepID: j.plan.ID}, Message: whole(message), Fix: j.fix()}}}
}

// fix is what helps where the step stands still.
func (j *job) fix() string { return askRelease + " " + j.label + "." }

func stuck(j *job) handed {
	return undone(j, state.AttemptLimit, fmt.Sprintf("The engine broke off three times at step %s.", j.plan.ID))
}

func leftOut(j *job) handed {
	return undone(j, state.GateDenied, fmt.Sprintf("Step %s rests on step %s, which was left out.", j.plan.ID, j.leftOut))
}

// unasked is a step that no person is asked about, since the run never stops. Its card is withdrawn.
func unasked(j *job) handed {
	h := undone(j, state.NeedsApproval, fmt.Sprintf("Step %s needs a person, and the run never stops.", j.plan.ID))
	h.leaves = true
	return h
}

// outcomeOf is what a step came to.
func outcomeOf(j *job, t engine.Taken) handed {
	switch {
	case t.State == engine.StepDone:
		return doneBy(j, t)
	case t.Key == engine.KeyRefused || t.Key == engine.KeyWithdrawn || t.Key == engine.KeyExpired:
		return undone(j, state.NeedsApproval, fmt.Sprintf("Step %s was not approved (%s). %s", j.plan.ID, t.Key, t.Reason))
	case t.State == engine.StepDenied:
		return undone(j, state.GateDenied, fmt.Sprintf("Step %s is denied by %s: %s", j.plan.ID, t.Key, t.Reason))
	}
	return undone(j, state.InvalidOutput, fmt.Sprintf("Step %s failed: %s", j.plan.ID, t.Result.Error))
}

// doneBy is the output of a step that was done: its receipt by number, and what it gives to work.
func doneBy(j *job, t engine.Taken) handed {
	h := handed{attempt: j.attempt, context: sexpr.EmptyObject(), engine: true, sources: work.Sources{}}
	receipt, err := readArtifact(binding.ReceiptOf(j.plan, j.step.Action.Tool(), t, j.shown))
	if err == nil {
		h.artifacts = []artifact{receipt}
	}
	for _, key := range j.plan.Gives {
		v, ok := given(j, t.Result, key)
		if !ok || sexpr.CheckJSON(v) != nil {
			continue
		}
		h.context, h.sources[key] = h.context.With(key, v), work.OutputSource(j.plan, key)
		if j.plan.By == plans.ByPerson && j.plan.Person.Kind == skills.Words {
			h.sources[key] = work.FromPerson
		}
	}
	if j.plan.By == plans.ByPerson && j.plan.Person.Kind == skills.Artifact {
		h.refs = []event.Payload{{Kind: "artifact_ref", SHA256: event.Digest(t.Result.Result.Text())}}
	}
	if j.plan.By == plans.ByPerson {
		h.notes = fmt.Sprintf("A person was asked: %s\n\nAnswer: %s", j.step.Action.Args().GetText("question"),
			t.Result.Result.Text())
	}
	return h
}

// given is what a receipt has for a key: its member of that name, or all of it for an only key.
func given(j *job, r engine.Receipt, key string) (sexpr.Value, bool) {
	if r.Result.IsObject() {
		if v, ok := r.Result.Get(key); ok {
			return v, true
		}
	}
	if len(j.plan.Gives) > 1 {
		return sexpr.Value{}, false
	}
	if r.Result.IsNil() {
		return sexpr.Str(r.Text), true
	}
	return r.Result, true
}

// errSettled says that the outcome of a job is on record already.
var errSettled = errors.New("the outcome is on record")

// settle enters the outcome of a job, unless it is on record.
func (r *Runs) settle(ctx context.Context, j *job, h handed) error {
	if err := r.sized(h.refs); err != nil {
		return err
	}
	ctx, leave, err := r.turn(ctx, j.session)
	if err != nil {
		return err
	}
	defer leave()
	cl, err := r.closeAt(ctx, j.session, h, func(log *fold.State) (*fold.Node, error) {
		if log.Advance(j.attempt) != nil {
			return nil, errSettled
		}
		return log.Node(j.node), nil
	})
	if errors.Is(err, errSettled) {
		return nil
	}
	if err != nil {
		return err
	}
	if h.leaves {
		cl.leaves = &j.step
	}
	_, err = r.enter(ctx, Caller{Principal: j.owner}, cl)
	return err
}

// sized fills in the media types and sizes of documents that are kept.
func (r *Runs) sized(refs []event.Payload) error {
	for i := range refs {
		of, err := sexpr.ParseDigest(string(refs[i].SHA256))
		if err != nil {
			return err
		}
		media, data, err := r.logs.Content(of)
		if err != nil {
			return err
		}
		refs[i].Type, refs[i].Bytes = media, int64(len(data))
	}
	return nil
}

// confirmed enters that a person confirmed a step, or that they did not, with their reason.
func (r *Runs) confirmed(ctx context.Context, j *job, t engine.Taken) error {
	if t.State != engine.StepDone {
		no := *j
		no.node = j.tip
		return r.settle(ctx, &no, undone(j, state.NeedsApproval,
			fmt.Sprintf("A person did not confirm step %s (%s). %s", j.plan.ID, cmp.Or(t.Key, string(t.State)), t.Reason)))
	}
	return r.change(ctx, Person{Principal: j.owner}, j.session, func(p *place) (out []event.Data, err error) {
		if p.since().ID != j.node {
			return nil, nil
		}
		gaps := slices.DeleteFunc(p.log.Waits(p.node), func(g *fold.Gap) bool {
			return g.Reason != reasonOf(state.NeedsApproval)
		})
		if len(gaps) == 0 { // what the step waits for has begun to hold since it is due
			g := toConfirm(j.step.Try, j.plan)
			out, gaps = append(out, g), []*fold.Gap{{GapRecorded: g}}
		}
		for _, g := range gaps {
			if by := confirmedBy(g, j.step.Try); g.By != by {
				out = append(out, resolves(g, by, fmt.Sprintf("A person confirmed the step: receipt %d.", t.Receipt)))
			}
		}
		return out, nil
	})
}
