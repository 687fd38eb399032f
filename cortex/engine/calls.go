package engine

import (
	"context"
	"iter"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/sexpr"
)

// Submit takes a signal through the whole pipeline: record, think, judge, act and feed
// back, until the model has answered, or until something must wait or stop. The engine
// writes the signal to disk before it does anything else. A signal with a dedupe key that
// was seen before gets the first answer. Submit is [Engine.Accept] and [Accepted.Answer]
// in one call.
func (e *Engine) Submit(ctx context.Context, sig Signal) (*session.Outcome, error) {
	return e.sessions.Submit(ctx, sig)
}

// Accept makes a signal durable and returns. The engine answers every accepted signal:
// when the caller calls [Accepted.Answer], or, if this process ends before that, when an
// engine next opens the record. A signal with a dedupe key that was seen before is not
// recorded again.
//
// The caller vouches for Source, Principal, Roles and Depth. Pass what arrives over a
// connection through [perceive.Normalise] first.
func (e *Engine) Accept(ctx context.Context, sig Signal) (*session.Accepted, error) {
	return e.sessions.Accept(ctx, sig)
}

// Decide judges an action, records the decision and returns it. facts say who asks, in
// which session, and what the blackboard holds; nil means an anonymous session. If facts
// bring no turns, the engine uses the recorded turns of the session. What the principal
// has spent always comes from the record. If facts bring no time, the engine reads its
// clock.
//
// An ask makes a card, or joins the one that is pending; Decision.Approval is its token.
// After approval, a Decide on the same action allows it.
func (e *Engine) Decide(ctx context.Context, action *Action, facts *Facts) (*Decision, error) {
	return e.ledger.Decide(ctx, action, facts)
}

// Pending returns the approvals that wait for people, oldest first. An error comes last
// and means that there may be more.
func (e *Engine) Pending(ctx context.Context) iter.Seq2[*approval.Approval, error] {
	return e.ledger.Pending(ctx, e.j.View())
}

// Approve records that a person said yes. The yes fills one place in every open slot whose
// class the person belongs to. When all slots are filled, the approval is a grant, and the
// engine resumes in the background what it runs itself. The requester cannot approve its
// own action.
func (e *Engine) Approve(ctx context.Context, token string, who approval.Approver) error {
	return e.sessions.Approve(ctx, token, who, nil)
}

// Deny records that a person said no. One no ends the approval. The model and the user get
// the reason.
func (e *Engine) Deny(ctx context.Context, token string, who approval.Approver, why string) error {
	return e.sessions.Deny(ctx, token, who, why)
}

// Withdraw takes an approval back for its requester, as long as it has not been used.
func (e *Engine) Withdraw(ctx context.Context, token, requester string) error {
	return e.ledger.Withdraw(ctx, token, requester)
}

// Edit lets a person who may answer a card replace the model's arguments. In one write the
// engine supersedes the card, judges the edited action again and, if that asks again,
// counts the editor's yes on the new card. If the yes does not count there, Edit returns
// the decision and an error that says why.
func (e *Engine) Edit(ctx context.Context, token string, who approval.Approver, args sexpr.Value) (*Decision, error) {
	return e.sessions.Edit(ctx, token, who, args)
}
