package runs

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
)

// What only a person can meet is a gap of the run from the moment that it is known, and a person
// resolves it, see [Runs.Release]. A step that a person confirms has its gap as soon as it is due.

func reasonOf(code state.Code) event.Reason {
	return event.Reason{Category: string(code.Category()), Detail: code.Detail()}
}

// confirms says whether a person confirms the step that is due. A condition that cannot be judged
// asks for it. What asks a person anyway needs no confirmation.
func confirms(due advance.Due) bool {
	if due.Step == nil || due.Step.By == plans.ByPerson {
		return false
	}
	return slices.ContainsFunc(due.Confirm, func(c *plans.Confirmation) bool {
		holds, err := c.When.Holds(due.Work)
		return holds || err != nil
	})
}

// unconfirmed says whether the step that is due waits for a person's confirmation, of the step as it is now. A
// release counts as one, whatever the values are.
func (p *place) unconfirmed(due advance.Due) bool {
	if !confirms(due) {
		return false
	}
	action, _ := p.mayIt(due)
	return !slices.ContainsFunc(p.log.Waits(p.node), func(g *fold.Gap) bool {
		return g.Resolved && g.Reason == reasonOf(state.NeedsApproval) &&
			(g.By == released(g) || action != nil && g.By == confirmedBy(g, confirmTry(p.engineTry(), action)))
	})
}

// released is the gap by which a person released another.
func released(g *fold.Gap) event.GapID { return event.Derive[event.GapID](string(g.ID), "released") }

// confirmedBy is the gap by which the card of a try resolved another.
func confirmedBy(g *fold.Gap, try string) event.GapID {
	return event.Derive[event.GapID](try, string(g.ID))
}

// engineTry is the engine's attempt at the step that is due here, from where it became due.
func (p *place) engineTry() event.AttemptID { return engineTry(p.log.Session, p.since()) }

// refused is the place that a person's no to the step led to; nil if no person refused it.
func (p *place) refused() *fold.Node {
	if done := p.log.Advance(p.engineTry()); done != nil {
		return p.log.Node(done.Outcome.To)
	}
	return nil
}

// engineTakes says whether a step is due that no agent takes.
func engineTakes(due advance.Due) bool { return due.Step != nil && due.Step.By != plans.ByPrompt }

// resolves is the event that a person resolved a gap.
func resolves(g *fold.Gap, id event.GapID, why string) *event.GapRecorded {
	return &event.GapRecorded{ID: id, Severity: event.Info, Reason: g.Reason,
		Summary: canon.Truncate(why, event.MaxSummary), Resolution: event.Resolution{Kind: "resolves", Gap: g.ID}}
}

// toConfirm is the gap of a step that waits for a person's confirmation. id is of the operation
// that made it due.
func toConfirm(id string, step *plans.Step) *event.GapRecorded {
	return &event.GapRecorded{ID: event.Derive[event.GapID](id, "confirm"), Severity: event.Info,
		Reason:     reasonOf(state.NeedsApproval),
		Summary:    canon.Truncate(fmt.Sprintf("A person confirms the step %s: %s.", step.ID, step.Title), event.MaxSummary),
		Resolution: event.Resolution{Kind: "unresolved"}}
}

// people are the reasons why an attempt needs a person: the step is not confirmed, or the agent
// says so with an artifact of kind cortex.needs_user.
func (c *closing) people() (out []state.Reason) {
	add := func(code state.Code, message, fix string) {
		if !c.p.log.Met(c.p.node, reasonOf(code)) {
			out = append(out, state.Reason{Code: code, Message: canon.Truncate(message, state.MaxMessage), Fix: fix,
				Pointer: state.Pointer{Kind: state.AtStep, StepID: c.step.ID}})
		}
	}
	if c.unconfirmed {
		out = append(out, c.unasked())
	}
	for _, a := range c.h.artifacts {
		if a.v.GetText("kind") != "cortex.needs_user" {
			continue
		}
		code := state.Code(string(state.UserOnly) + ":" + a.v.GetText("reason"))
		if code.Known() {
			add(code, fmt.Sprintf("Step %s needs the user: %s", c.step.ID, a.v.GetText("message")),
				"Tell the user what is needed.")
		}
	}
	return out
}

// unasked is why an agent cannot hand in a step that a person has not confirmed.
func (c *closing) unasked() state.Reason {
	r := state.Reason{Code: state.NeedsApproval, Pointer: state.Pointer{Kind: state.AtStep, StepID: c.step.ID},
		Message: fmt.Sprintf("A person has to confirm step %s first.", c.step.ID),
		Fix:     "Wait for the person, then hand in the step."}
	if c.refusal != "" {
		r.Message, r.Fix = c.refusal, c.p.askRelease()
	}
	return r
}

// refusal is what a person said who refused the step that is due here; "" if no person refused it.
func (r *Runs) refusal(p *place) (string, error) {
	node := p.refused()
	if node == nil {
		return "", nil
	}
	at, err := r.shelf.Snapshot(node)
	if b, ok := at.(state.Blocked); ok && err == nil {
		return b.Block.Blockers[0].Message, nil
	}
	return "", err
}

// personal are the gaps that a person has to resolve before the attempt can pass, as far as the run
// does not have them.
func (c *closing) personal() (out []state.Gap) {
	open := c.p.log.Open(c.p.node)
	for _, r := range c.reasons {
		known := slices.ContainsFunc(open, func(g *fold.Gap) bool {
			return g.Reason == reasonOf(r.Code) && (!c.h.engine || g.Severity == event.Critical)
		})
		if (r.Code.Category() == state.UserOnly || c.h.engine) && !known {
			out = append(out, r.Gap())
		}
	}
	return out
}
