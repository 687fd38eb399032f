package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// job is a step that the engine takes.
type job struct {
	session  event.SessionID
	node     event.NodeID // where the step is due; of a confirmation, where it became so
	attempt  event.AttemptID
	plan     *plans.Step
	step     engine.Step
	mode     advance.Mode
	owner    string // whose the run is
	confirms bool   // it only asks a person to confirm the step
	leftOut  string // the step that was left out before, and that this one rests on
	reasons  []state.Reason
}

// due returns what the engine has to do at the newest place of a run; no job if nothing.
func (r *Runs) due(ctx context.Context, session event.SessionID) (j *job, rest engine.Rest, err error) {
	head, err := r.logs.Head(string(session))
	if err != nil {
		return nil, rest, err
	}
	err = r.shelf.Read(ctx, session, func(log *fold.State) error {
		p, err := r.place(log, log.Tip())
		if err != nil {
			return err
		}
		j, rest, err = p.job()
		return err
	})
	if j != nil {
		j.owner = head.Owner
	}
	return j, rest, err
}

// run says in whose name the step is taken: that of the run's root, unless the run was given away.
func (j *job) run(run *engine.Run) {
	if j.owner != run.Principal {
		j.step.Principal = j.owner
	}
}

// job is what the engine has to do at this place.
func (p *place) job() (*job, engine.Rest, error) {
	if _, ok := position(p.at); !ok {
		return nil, engine.Rest{}, nil
	}
	due, err := p.due()
	if err != nil {
		return nil, engine.Rest{}, corrupt(err)
	}
	unconfirmed := confirms(due) && !p.log.Met(p.node, reasonOf(state.NeedsApproval))
	if b, ok := p.at.(state.Blocked); ok && !p.log.Released(p.node) {
		// A try of an agent that came too early does not take back the question.
		if !unconfirmed || due.Step.By != plans.ByPrompt || b.Block.Reason.Terminal() {
			return nil, engine.Rest{Why: b.Block.Blockers[0].Message}, nil
		}
	}
	j := &job{session: p.log.Session, node: p.node.ID, plan: due.Step, mode: p.mode()}
	j.attempt = event.Derive[event.AttemptID](string(j.session), string(j.node), "engine")
	pos, _ := position(p.at)
	j.step = engine.Step{ID: string(pos.Pending.Key()), Try: string(j.attempt), Plan: string(p.log.Started.Hash),
		Version: plans.SchemaVersion}
	switch {
	case due.Step.By == plans.ByPerson:
		return j, engine.Rest{}, p.question(j, due, *due.Step.Person)
	case unconfirmed && p.mode() != advance.NeverStop:
		return j, engine.Rest{}, p.confirmation(j, due)
	case due.Step.By != plans.ByTool:
		return nil, engine.Rest{}, nil // an agent's
	}
	if j.leftOut = p.restsOn(due.Step); unconfirmed && j.leftOut == "" {
		j.reasons = unasked(j).reasons // the mode leaves out what a person would have to confirm
		return j, engine.Rest{}, nil
	}
	return j, engine.Rest{}, p.call(j, due)
}

// confirmation fills in the action that asks a person whether a step may be taken.
func (p *place) confirmation(j *job, due advance.Due) error {
	j.confirms, j.node = true, p.since().ID
	j.attempt = event.Derive[event.AttemptID](string(j.session), string(j.node), "engine")
	j.step.Try = string(j.attempt) + ":confirm"
	text := fmt.Sprintf("Workflow %s is at the step %q. May it be taken?", p.plan.WorkflowID, due.Step.Title)
	return p.question(j, due, plans.Question{Kind: skills.Confirm, Question: text})
}

// since is where the step became due that is due here: blocked tries lie between.
func (p *place) since() *fold.Node {
	n := p.node
	for n.Kind == event.BlockedNode && n.Parent != nil {
		n = n.Parent
	}
	return n
}

// call fills in the action of a tool's step.
func (p *place) call(j *job, due advance.Due) error {
	args, reasons := slots.Fill(due.Step, due.Step.Tool.Args.Value(), due.Work)
	j.reasons = reasons
	if len(reasons) > 0 {
		return nil
	}
	return p.propose(j, due, due.Step.Tool.Tool, args)
}

// question fills in the action that asks a person.
func (p *place) question(j *job, due advance.Due, q plans.Question) error {
	text, reasons := slots.FillText(due.Step, q.Question, due.Work)
	if j.reasons = reasons; len(reasons) > 0 {
		return nil
	}
	args := sexpr.Plist("kind", sexpr.Str(q.Kind), "question", sexpr.Str(text))
	if len(q.Choices) > 0 {
		choices := make([]sexpr.Value, len(q.Choices))
		for i, c := range q.Choices {
			choices[i] = sexpr.Str(c)
		}
		args = args.With("choices", sexpr.ListOf(choices...))
	}
	return p.propose(j, due, skills.AskPersonTool, args)
}

func (p *place) propose(j *job, due advance.Due, tool string, args sexpr.Value) (err error) {
	j.step.Action, err = skills.NewAction(tool, args,
		fmt.Sprintf("step %s of the workflow %s", due.Step.ID, p.plan.WorkflowID))
	if err != nil {
		j.reasons = []state.Reason{{Code: state.InvalidContext,
			Pointer: state.Pointer{Kind: state.AtStep, StepID: due.Step.ID},
			Message: err.Error()}}
		return nil //nolint:nilerr // it blocks the step
	}
	j.step.Work, err = work.Visible(due.Work, p.seen(due), due.Step)
	return err
}

// seen are the sources of what a step sees, the variables of its loop included.
func (p *place) seen(due advance.Due) work.Sources {
	if due.Loop == nil {
		return p.sources
	}
	pos, _ := position(p.at)
	_, sources := work.InLoop(p.work, p.sources, due.Loop, pos.Loops[0].Iteration)
	return sources
}

// restsOn names a step that was left out on the way here, unless the step says what it needs and
// none of that was.
func (p *place) restsOn(step *plans.Step) string {
	out := p.log.LeftOut(p.node)
	if len(out) == 0 || p.mode() != advance.NeverStop {
		return ""
	}
	if len(step.Needs) == 0 {
		return out[0]
	}
	if i := slices.IndexFunc(out, func(id string) bool { return slices.Contains(step.Needs, id) }); i >= 0 {
		return out[i]
	}
	return ""
}
