package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/binding"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// job is a step that the engine takes.
type job struct {
	session  event.SessionID
	node     event.NodeID // where the step is due; of a confirmation, where it became so
	tip      event.NodeID // where the run stands
	attempt  event.AttemptID
	plan     *plans.Step
	step     engine.Step
	mode     advance.Mode
	label    string   // of the run
	owner    string   // whose the run is
	earlier  []string // tries at the step that were blocked
	confirms bool     // it only asks a person to confirm the step
	leftOut  string   // the step that was left out before, and that this one rests on
	reasons  []state.Reason
	shown    map[string]event.Digest // of a question: the values that fill its slots, by path
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
		j, rest, err = r.job(p)
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

// job is what the engine has to do at a place.
func (r *Runs) job(p *place) (*job, engine.Rest, error) {
	if _, ok := position(p.at); !ok {
		return nil, engine.Rest{}, nil
	}
	due, err := p.due()
	if err != nil {
		return nil, engine.Rest{}, corrupt(err)
	}
	unconfirmed := p.unconfirmed(due)
	if b, ok := p.at.(state.Blocked); ok && !p.log.Released(p.node) {
		// A try of an agent that came too early does not take back the question; a person who said no does.
		if !unconfirmed || due.Step.By != plans.ByPrompt || b.Block.Reason.Terminal() || p.refused() != nil {
			return nil, engine.Rest{Why: b.Block.Blockers[0].Message}, nil
		}
	}
	j := &job{session: p.log.Session, node: p.node.ID, tip: p.node.ID, plan: due.Step, mode: p.mode(),
		label: refOf(p.log).Label}
	j.attempt = engineTry(j.session, p.node)
	for at := p.node; at.Kind == event.BlockedNode && at.Parent != nil; at = at.Parent {
		j.earlier = append(j.earlier, string(engineTry(j.session, at.Parent)))
	}
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
	if err := p.call(j, due); err != nil || len(j.reasons) > 0 {
		return j, engine.Rest{}, err
	}
	j.reasons, err = r.outdated(p, due)
	return j, engine.Rest{}, err
}

// confirmation fills in the action that asks a person whether a step may be taken.
func (p *place) confirmation(j *job, due advance.Due) error {
	j.confirms, j.node = true, p.since().ID
	j.attempt = engineTry(j.session, p.since())
	action, reasons := p.mayIt(due)
	if j.reasons = reasons; len(reasons) > 0 {
		return nil
	}
	j.step.Try = confirmTry(j.attempt, action)
	j.step.Action = action
	return p.see(j, due)
}

// mayIt is the action that asks a person whether the step that is due may be taken, as it is now: with the
// values in its title, and with the call of a tool.
func (p *place) mayIt(due advance.Due) (*skills.Action, []state.Reason) {
	title, reasons := slots.FillText(due.Step, due.Step.Title, due.Work)
	call := ""
	if due.Step.By == plans.ByTool {
		args, more := slots.Fill(due.Step, due.Step.Tool.Args.Value(), due.Work)
		if reasons = append(reasons, more...); len(reasons) == 0 {
			call = fmt.Sprintf(" It calls %s.", binding.Brief(due.Step.Tool.Tool+" "+args.String()))
		}
	}
	if len(reasons) > 0 {
		return nil, reasons
	}
	text := fmt.Sprintf("Workflow %s is at the step %q.%s May it be taken?", p.plan.WorkflowID, binding.Brief(title), call)
	a, err := skills.NewAction(skills.AskPersonTool,
		sexpr.Plist("kind", sexpr.Str(skills.Confirm), "question", sexpr.Str(text)), p.about(due.Step))
	if err != nil {
		return nil, []state.Reason{unfit(due.Step, err)}
	}
	return a, nil
}

// confirmTry names the try that asks this question. Asked with other values it is another try.
func confirmTry(attempt event.AttemptID, a *skills.Action) string {
	return string(attempt) + ":confirm:" + a.Digest().String()
}

// about says which step of which run an action is, for the card.
func (p *place) about(step *plans.Step) string {
	run := refOf(p.log)
	return fmt.Sprintf("workflow %s, run %s, goal %q, step %s: %s", p.plan.WorkflowID, run.Label,
		canon.Truncate(p.goal, maxShownGoal), step.ID, step.Title)
}

// maxShownGoal bounds the goal on a card, in bytes.
const maxShownGoal = 200

// since is where the step became due that is due here: blocked tries lie between.
func (p *place) since() *fold.Node {
	n := p.node
	for n.Kind == event.BlockedNode && n.Parent != nil {
		n = n.Parent
	}
	return n
}

// engineTry is the engine's attempt at the step that is due at a node.
func engineTry(session event.SessionID, node *fold.Node) event.AttemptID {
	return event.Derive[event.AttemptID](string(session), string(node.ID), "engine")
}

// take takes the step, unless an earlier try has done it: a release never does it again.
func (j *job) take(ctx context.Context, run *engine.Run) (engine.Taken, error) {
	for _, try := range j.earlier {
		if t, err := run.Look(j.step.ID, try); err != nil || t.State == engine.StepDone {
			return t, err
		}
	}
	return run.Take(ctx, j.step)
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
	choices := make([]sexpr.Value, len(q.Choices))
	for i, c := range q.Choices {
		choice, more := slots.FillText(due.Step, c, due.Work)
		choices[i], reasons = sexpr.Str(choice), append(reasons, more...)
	}
	if j.reasons = reasons; len(reasons) > 0 {
		return nil
	}
	j.shown = binding.Shown(q.Question, due.Work)
	args := sexpr.Plist("kind", sexpr.Str(q.Kind), "question", sexpr.Str(text))
	if len(choices) > 0 {
		args = args.With("choices", sexpr.ListOf(choices...))
	}
	if err := p.propose(j, due, skills.AskPersonTool, args); err != nil || len(j.reasons) > 0 {
		return err
	}
	j.step.Try += ":" + j.step.Action.Digest().String() // asked with other values it is another try
	return nil
}

func (p *place) propose(j *job, due advance.Due, tool string, args sexpr.Value) (err error) {
	j.step.Action, err = skills.NewAction(tool, args, p.about(due.Step))
	if err != nil {
		j.reasons = []state.Reason{unfit(due.Step, err)}
		return nil //nolint:nilerr // it blocks the step
	}
	return p.see(j, due)
}

// unfit is why a step has no action.
func unfit(step *plans.Step, err error) state.Reason {
	return state.Reason{Code: state.InvalidContext, Pointer: state.Pointer{Kind: state.AtStep, StepID: step.ID},
		Message: err.Error()}
}

// see fills in what gates see of work.
func (p *place) see(j *job, due advance.Due) (err error) {
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
