package runs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/recap"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// rehydrate reads where the run stands at the ticket's place, and gives out a new attempt there.
// It writes nothing: all that it is given reads.
func (r *Runs) rehydrate(ctx context.Context, by Caller, c *tools.ContinueWorkflow) (rep *tools.Reply, err error) {
	s, err := r.seat(ctx, c.ContinueToken)
	if err != nil {
		return nil, err
	}
	if err := r.owned(s.session, by); err != nil {
		return nil, err
	}
	err = r.shelf.Read(ctx, s.session, func(log *fold.State) error {
		node, err := s.nodeOf(log)
		if err == nil {
			rep, err = r.show(log, node)
		}
		return err
	})
	return rep, err
}

// show is the reply that shows a place again, with all that an agent needs that remembers nothing.
func (r *Runs) show(log *fold.State, node *fold.Node) (*tools.Reply, error) {
	p, err := r.place(log, node)
	if err != nil {
		return nil, err
	}
	if p, err = r.arrived(p); err != nil {
		return nil, err
	}
	a, err := p.answer()
	if err != nil {
		return nil, err
	}
	if a.waits, err = r.waits(p); err != nil {
		return nil, err
	}
	a.reading, a.recovery = true, recap.Text(p.plan, p.log, p.node, a.due)
	rep := a.reply()
	if rep.ContinueToken+rep.RetryToken == "" {
		return rep, nil
	}
	var try ticket.Try
	_, _ = rand.Read(try[:]) // never fails, see crypto/rand
	token, err := r.ticketFor(log, p.node, try)
	if err != nil {
		return nil, err
	}
	fill(rep, token)
	return rep, nil
}

// arrived follows the steps that the engine took by itself from a place, to where it is at rest.
func (r *Runs) arrived(p *place) (*place, error) {
	for {
		pos, ok := position(p.at)
		if !ok {
			return p, nil
		}
		step, ok := p.plan.Step(pos.Pending.ID)
		if !ok {
			return nil, corrupt(errors.New("its pending step is not in the plan"))
		}
		next := p.log.Newest(p.node)
		if step.By == plans.ByPrompt || next == nil {
			return p, nil
		}
		var err error
		if p, err = r.place(p.log, next); err != nil {
			return nil, err
		}
	}
}

// waits says what a step of the engine waits for; nil if it waits for nothing, or if an agent takes the step.
func (r *Runs) waits(p *place) (*state.Reason, error) {
	if r.opt.Try == nil {
		return nil, nil //nolint:nilnil // nothing is known to wait
	}
	j, _, err := r.job(p)
	if err != nil || j == nil || len(j.reasons) > 0 {
		return nil, err
	}
	t, err := r.opt.Try(string(j.session), j.step.ID, j.step.Try)
	if err != nil {
		return nil, err
	}
	reason := &state.Reason{Pointer: state.Pointer{Kind: state.AtStep, StepID: j.plan.ID}}
	switch t.State {
	case engine.StepAsked:
		reason.Code = state.NeedsApproval
		reason.Message = fmt.Sprintf("Step %s waits for a person, on card %s.", j.plan.ID, t.Approval)
		reason.Fix = "The person looks at it and answers it: cortex approvals show " + t.Approval
	case engine.StepInDoubt:
		reason.Code, reason.Message = state.InDoubt, fmt.Sprintf("Whether step %s has happened is not known.", j.plan.ID)
		reason.Fix = "A person settles it: cortex approvals outcome."
	case engine.StepNone, engine.StepDone, engine.StepFailed, engine.StepDenied, engine.StepLater:
		return nil, nil //nolint:nilnil // the driver goes on from there
	}
	return reason, nil
}

// answer is what a reply about a place is made of.
func (p *place) answer() (*answer, error) {
	a := &answer{run: refOf(p.log), prefs: p.node.Preferences(), at: p.at}
	pos, pending := position(p.at)
	if !pending {
		return a, nil
	}
	due, err := p.due()
	if err != nil {
		return nil, corrupt(err)
	}
	if b, ok := p.at.(state.Blocked); ok && p.stopped(b.Block) {
		a.blocked = &b.Block
	} else if ok {
		due.State = state.Running{Position: pos}
	}
	a.due, a.confirm = due, a.blocked == nil && p.unconfirmed(due)
	// What is not set any more stands as unset in the text: a place is shown as it is.
	a.text, _ = prompt.Render(p.plan, due)
	return a, nil
}

// stopped says whether a block still holds: a person has not yet done what it waits for. What only a
// person can meet may be on record since an earlier attempt at the step.
func (p *place) stopped(b state.Block) bool {
	if b.Reason.Category() == state.UserOnly {
		return len(p.log.Open(p.node)) > 0
	}
	return !p.log.Released(p.node)
}

// title is the text of a step of which the title alone is shown.
func title(p *place, step *plans.Step) prompt.Text {
	due, err := p.due()
	if err != nil || due.Step == nil {
		return prompt.Text{Title: step.Title}
	}
	text, _ := prompt.Render(p.plan, due)
	return prompt.Text{Title: text.Title, AgentRole: text.AgentRole}
}
