package engine

import (
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// Decisions, permits and receipts that calls of the engine return have secret arguments as
// they are: the caller is in this process. Code that shows them to people, or sends them on,
// takes them through these.

// Shown returns a recorded decision as it is stored: with marks in place of secrets.
func (a Approvals) Shown(d *Decision) *Decision {
	if d == nil || d.ID == 0 {
		return d
	}
	rec, err := a.e.j.View().Read(d.ID)
	if err != nil || !record.IsVeiled(rec.Body) {
		return d
	}
	out, err := record.DecisionFrom(rec)
	if err != nil { // rather nothing than a secret
		return &Decision{ID: d.ID}
	}
	out.Approval = d.Approval
	return out
}

// ShownOutcome returns an outcome with marks in place of secrets, in what the model and the
// engine said and in the decisions on the way. Its receipts stay as they are.
func (a Approvals) ShownOutcome(out *session.Outcome) *session.Outcome {
	clean := *out
	clean.Text, clean.Notice = a.Redact(out.Text), a.Redact(out.Notice)
	clean.Decisions = make([]*Decision, len(out.Decisions))
	for i, d := range out.Decisions {
		clean.Decisions[i] = a.Shown(d)
	}
	return &clean
}

// Covered returns an action with marks in place of its secrets.
func (a Approvals) Covered(of *Action) *Action {
	args := a.e.veil.Cover(of.Tool(), of.Args())
	out, err := skills.Recorded(of.Tool(), args, a.e.veil.Redact(of.Explanation()), of.Digest(), true)
	if err != nil { // it had a form before; and rather nothing than a secret
		return &Action{}
	}
	return out
}

// Redact replaces texts that are known to be secret in a text that is about to leave the
// process. It knows the secrets of at least the last calls of the last 1024 sessions. The
// record needs no such care: what views show has none.
func (a Approvals) Redact(text string) string { return a.e.veil.Redact(text) }
