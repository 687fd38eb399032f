package engine

import (
	"context"
	"fmt"
	"iter"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/retention"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Accept see sessions.
func (e *Engine) Accept(ctx context.Context, sig Signal) (*session.Accepted, error) {
	return e.sessions.Accept(ctx, sig)
}

// AcceptAt see sessions.
func (e *Engine) AcceptAt(ctx context.Context, sig Signal, c session.Cursor) (*session.Accepted, error) {
	return e.sessions.AcceptAt(ctx, sig, c)
}

// Pending see ledger.
func (e *Engine) Pending(ctx context.Context) iter.Seq2[*approval.Approval, error] {
	return e.ledger.Pending(ctx)
}

// Approvals see ledger.
func (e *Engine) Approvals(ctx context.Context) ([]*approval.Approval, error) {
	return e.ledger.Approvals(ctx)
}

// Approval see ledger.
func (e *Engine) Approval(ctx context.Context, token string) (*approval.Approval, error) {
	return e.ledger.Approval(ctx, token)
}

// Approve see sessions.
func (e *Engine) Approve(ctx context.Context, token string, who approval.Approver) error {
	return e.sessions.Approve(ctx, token, who)
}

// MayFill see ledger.
func (e *Engine) MayFill(who approval.Approver, s *approval.Slot) bool {
	return e.ledger.MayFill(who, s)
}

// Deny see sessions.
func (e *Engine) Deny(ctx context.Context, token string, who approval.Approver, why string) error {
	return e.sessions.Deny(ctx, token, who, why)
}

// Withdraw see ledger.
func (e *Engine) Withdraw(ctx context.Context, token, requester string) error {
	return e.ledger.Withdraw(ctx, token, requester)
}

// Pair see ledger.
func (e *Engine) Pair(ctx context.Context, force bool) (secret string, err error) {
	return e.ledger.Pair(ctx, force)
}

// Operator see ledger.
func (e *Engine) Operator(secret, via string) (approval.Approver, error) {
	return e.ledger.Operator(secret, via)
}

// Code see ledger.
func (e *Engine) Code(a *approval.Approval) (string, error) {
	return e.ledger.Code(a)
}

// SetFact see ledger.
func (e *Engine) SetFact(ctx context.Context, name string, value sexpr.Value, who approval.Approver) error {
	return e.ledger.SetFact(ctx, name, value, who)
}

// Checkpoint see integrity.
func (e *Engine) Checkpoint(ctx context.Context) (string, error) {
	if e.ledger.Closed.Load() {
		return "", ledger.ErrClosed
	}
	return e.integrity.Checkpoint(ctx)
}

// LastCheckpoint see integrity.
func (e *Engine) LastCheckpoint() (string, error) {
	return e.integrity.LastCheckpoint()
}

// Compensate see ledger.
func (e *Engine) Compensate(ctx context.Context, intent uint64, a *Action, f *Facts) (*Decision, error) {
	return e.ledger.Compensate(ctx, intent, a, f)
}

// FailedCompensations see ledger.
func (e *Engine) FailedCompensations(ctx context.Context) (out []ledger.Compensation, err error) {
	return e.ledger.FailedCompensations(ctx)
}

// CursorOf see sessions.
func (e *Engine) CursorOf(source string) (int64, error) {
	return e.sessions.CursorOf(source)
}

// Advance see sessions.
func (e *Engine) Advance(ctx context.Context, c session.Cursor) error {
	return e.sessions.Advance(ctx, c)
}

// Decide see ledger.
func (e *Engine) Decide(ctx context.Context, action *Action, facts *Facts) (*Decision, error) {
	return e.ledger.Decide(ctx, action, facts)
}

// Doubts see ledger.
func (e *Engine) Doubts(ctx context.Context) ([]ledger.Doubt, error) {
	return e.ledger.Doubts(ctx)
}

// Settle see ledger.
func (e *Engine) Settle(ctx context.Context, intent uint64, happened bool, who approval.Approver) error {
	return e.ledger.Settle(ctx, intent, happened, who)
}

// KillSwitch see ledger.
func (e *Engine) KillSwitch(ctx context.Context, on bool, who approval.Approver) error {
	return e.ledger.KillSwitch(ctx, on, who)
}

// Interrupt see sessions.
func (e *Engine) Interrupt(ctx context.Context, session string, by perceive.Peer) (stopped int, err error) {
	return e.sessions.Interrupt(ctx, session, by)
}

// Post see ledger.
func (e *Engine) Post(ctx context.Context, p approval.Posting) error {
	return e.ledger.Post(ctx, p)
}

// Postings see ledger.
func (e *Engine) Postings(token string) ([]approval.Posting, error) {
	return e.ledger.Postings(token)
}

// Pressed see ledger.
func (e *Engine) Pressed(ctx context.Context, gateway, chat, message, nonce string) (approval.Posting, error) {
	return e.ledger.Pressed(ctx, gateway, chat, message, nonce)
}

// Edit see sessions.
func (e *Engine) Edit(ctx context.Context, token string, who approval.Approver, args sexpr.Value) (*Decision, error) {
	return e.sessions.Edit(ctx, token, who, args)
}

// Retain see retainer.
func (e *Engine) Retain(ctx context.Context) (retention.Retention, error) {
	if err := e.ledger.Usable(); err != nil {
		return retention.Retention{}, err
	}
	return e.retainer.Retain(ctx)
}

// Retry see sessions.
func (e *Engine) Retry(ctx context.Context, intent uint64, who approval.Approver) (Receipt, error) {
	return e.sessions.Retry(ctx, intent, who)
}

// Submit see sessions.
func (e *Engine) Submit(ctx context.Context, sig Signal) (*session.Outcome, error) {
	return e.sessions.Submit(ctx, sig)
}

// EndSession ends.
func (e *Engine) EndSession(ctx context.Context, session string, who approval.Approver) error {
	if err := e.ledger.Usable(); err != nil {
		return err
	}
	if who.Name == "" || !e.ledger.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("session %q: %w: a session is ended by an operator", session, approval.ErrNotApprover)
	}
	return ledger.Plain(e.retainer.EndSession(ctx, session, who.Name, who.Via))
}

// Reload compiles the rules again and swaps them in at once. On an error the
// policy in force stays. Every approval that is open is superseded, and its
// action decided again under the new rules.
func (e *Engine) Reload(ctx context.Context) error {
	if err := e.ledger.Usable(); err != nil {
		return err
	}
	err := e.policies.LoadPolicy(ctx)
	if err != nil {
		err = fmt.Errorf("the rules in force stay: %w", err)
		e.reload.Store(&err)
		return err
	}
	e.reload.Store(nil)
	return e.sessions.Supersede(ctx)
}

// Facts see ledger.
func (e *Engine) Facts() sexpr.Value { return e.ledger.Facts() }
