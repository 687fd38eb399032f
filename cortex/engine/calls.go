package engine

import (
	"context"
	"iter"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/sexpr"
)

// Submit takes a signal through the whole pipeline: record, think, judge, act,
// feed back, until the model has answered, or something has to wait or stop. The
// signal is on disk before anything else happens. A signal with a dedupe key
// that was seen before gets the first answer. It is [Engine.Accept] and
// [Accepted.Answer] in one.
func (e *Engine) Submit(ctx context.Context, sig Signal) (*session.Outcome, error) {
	return e.sessions.Submit(ctx, sig)
}

// Accept makes a signal durable and returns. What is accepted is answered: by
// the caller's [Accepted.Answer], or, if this process ends before that, when an
// engine is next opened on the record. A signal with a dedupe key that was seen
// before is not recorded again.
//
// The caller vouches for Source, Principal, Roles and Depth; what arrives over a
// connection goes through [perceive.Normalise] first.
func (e *Engine) Accept(ctx context.Context, sig Signal) (*session.Accepted, error) {
	return e.sessions.Accept(ctx, sig)
}

// Decide judges an action and records the decision before it returns it. Facts
// say who asks, in which session, and what the blackboard holds; nil is an
// anonymous session. Where facts bring no turns, the session's recorded ones
// count; what the principal has spent always comes from the record. Where the
// clock is not given it is read now.
//
// An ask makes a card, or finds the one that is pending; its token is in
// Decision.Approval. Once approved, the same Decide allows.
func (e *Engine) Decide(ctx context.Context, action *Action, facts *Facts) (*Decision, error) {
	return e.ledger.Decide(ctx, action, facts)
}

// Pending returns the approvals that wait for people, oldest first. An error,
// which comes last, means that there may be more.
func (e *Engine) Pending(ctx context.Context) iter.Seq2[*approval.Approval, error] {
	return e.ledger.Pending(ctx)
}

// Approve records that a person said yes. It fills one place in every open slot
// whose class the person belongs to; when all slots are filled the approval is a
// grant, and the engine goes on with what it runs itself, in the background.
// The requester cannot approve for itself.
func (e *Engine) Approve(ctx context.Context, token string, who approval.Approver) error {
	return e.sessions.Approve(ctx, token, who)
}

// Deny records a person's no. One no ends the approval, and the reason reaches
// the model and the user.
func (e *Engine) Deny(ctx context.Context, token string, who approval.Approver, why string) error {
	return e.sessions.Deny(ctx, token, who, why)
}

// Withdraw takes an approval back, before it is used, on behalf of the
// requester.
func (e *Engine) Withdraw(ctx context.Context, token, requester string) error {
	return e.ledger.Withdraw(ctx, token, requester)
}

// Edit lets a person who may answer a card put other arguments in place of the
// model's. The card is superseded, the edited action goes through the gates
// again, and where it still asks, the editor's yes is counted on the new card, all
// in one write. Where that yes does not count there, the error says why, and the
// decision is returned with it.
func (e *Engine) Edit(ctx context.Context, token string, who approval.Approver, args sexpr.Value) (*Decision, error) {
	return e.sessions.Edit(ctx, token, who, args)
}
