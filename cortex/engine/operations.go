package engine

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Operations is what the one does who runs an engine: they look after it, and settle what
// only a person can.
type Operations struct{ e *Engine }

// Operations returns what an operator does.
func (e *Engine) Operations() Operations { return Operations{e} }

// Reload compiles the rules again and swaps them in at once. On an error the
// policy in force stays. Every approval that is open is superseded, and its
// action decided again under the new rules.
func (o Operations) Reload(ctx context.Context) error {
	if err := o.e.ledger.Usable(); err != nil {
		return err
	}
	err := o.e.policies.LoadPolicy(ctx)
	if err != nil {
		err = fmt.Errorf("the rules in force stay: %w", err)
		o.e.reload.Store(&err)
		return err
	}
	o.e.reload.Store(nil)
	return o.e.sessions.Supersede(ctx)
}

// KillSwitch turns the refusal of everything on or off. Turning it on is open
// to every embedder; turning it off takes an operator.
func (o Operations) KillSwitch(ctx context.Context, on bool, who approval.Approver) error {
	return o.e.ledger.KillSwitch(ctx, on, who)
}

// Facts returns what operators have set: the plist that rules read as facts.ctx
// where a caller of Decide brings none.
func (o Operations) Facts() sexpr.Value {
	return o.e.ledger.Facts()
}

// SetFact sets one fact of facts.ctx, or with nil removes it. It takes an
// operator, is recorded, and holds for what is decided from now on; a decision
// that was made before is made again before it is acted on.
func (o Operations) SetFact(ctx context.Context, name string, value sexpr.Value, who approval.Approver) error {
	return o.e.ledger.SetFact(ctx, name, value, who)
}

// Doubts returns the intents in doubt, oldest first. While one stands, the same
// action is refused in its session.
func (o Operations) Doubts(ctx context.Context) ([]ledger.Doubt, error) {
	return o.e.ledger.Doubts(ctx)
}

// Settle records a person's answer for an intent in doubt: it happened, or it
// did not, in which case it spends nothing. [Operations.Retry] is the third answer. Of
// a compensation that failed it says whether what it was for is made up for all
// the same; if not, another may be tried.
func (o Operations) Settle(ctx context.Context, intent uint64, happened bool, who approval.Approver) error {
	return o.e.ledger.Settle(ctx, intent, happened, who)
}

// Retry lets an intent in doubt be tried once more, because a person says so,
// and waits for what comes of it. It is the same intent, under the same
// idempotency key and the same approval; today's rules judge its action again,
// as if it had not been begun, and a [NotAllowed] leaves it in doubt. Of two
// people who ask for it at once, the second gets [ErrNoDoubt]. A tool that does
// not honour the key may do again what it had done: that is what the person who
// answers knows.
func (o Operations) Retry(ctx context.Context, intent uint64, who approval.Approver) (Receipt, error) {
	return o.e.sessions.Retry(ctx, intent, who)
}

// Interrupt cuts short what is being answered in one session, and what waits its
// turn there, and returns how many signals that were; one that was answered in this
// very moment may count. Only the principal whose signals they are may do so, and an
// operator; for others nothing happens and the error is [ErrNotOwner] (row 31,
// weakness W29). An effect that has begun is canceled as far as its actuator can be,
// and its receipt says what is known. Signals that come later are answered as usual.
func (o Operations) Interrupt(ctx context.Context, session string, by perceive.Peer) (stopped int, err error) {
	return o.e.sessions.Interrupt(ctx, session, by)
}

// EndSession ends a session, as retention does with one that was silent for long:
// what comes later under its name begins a new one, of which no rule and no model
// knows what was before. That is the way on for a session whose history takes all
// of [Caps.SessionMemory] and whose name is given, such as a chat's. It takes an
// operator, because rules that look back judge anew.
//
// Nothing is removed from the record. What was spent still counts for the
// principal. Decisions from before can be explained and are not replayed.
func (o Operations) EndSession(ctx context.Context, session string, who approval.Approver) error {
	if err := o.e.ledger.Usable(); err != nil {
		return err
	}
	if who.Name == "" || !o.e.ledger.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("session %q: %w: a session is ended by an operator", session, approval.ErrNotApprover)
	}
	return ledger.Plain(o.e.retainer.EndSession(ctx, session, who.Name, who.Via))
}

// Maintain does what a heartbeat does, now: approvals whose time is over are marked
// expired, so that they are off every list and their records say so, and those that have
// gone unanswered for long are escalated.
func (o Operations) Maintain(ctx context.Context) error { return o.e.maintain(ctx) }

// Retain removes what [Options.Retain] no longer keeps, as a heartbeat does. It
// writes in small steps between others, each of which leaves a record of kind
// "retention".
func (o Operations) Retain(ctx context.Context) (retention.Retention, error) {
	if err := o.e.ledger.Usable(); err != nil {
		return retention.Retention{}, err
	}
	return o.e.retainer.Retain(ctx)
}

// Checkpoint signs the head of the record, records that, keeps the text in the
// record's folder and outside, where a place is set, and returns it. A record in
// memory has none.
func (o Operations) Checkpoint(ctx context.Context) (string, error) {
	if o.e.ledger.Closed.Load() {
		return "", ledger.ErrClosed
	}
	return o.e.integrity.Checkpoint(ctx)
}

// LastCheckpoint returns the newest checkpoint; "" if none was made yet.
func (o Operations) LastCheckpoint() (string, error) {
	return o.e.integrity.LastCheckpoint()
}

// Answers waits for one round trip through what writes the record. A record that
// can no longer be written answers too; the only error is the cause of ctx.
func (o Operations) Answers(ctx context.Context) error {
	_ = o.e.j.Update(ctx, func(*journal.Tx) error { return nil })
	return context.Cause(ctx)
}

// Wait returns when nothing runs in the background: every approval that was answered has
// been acted on.
func (o Operations) Wait(ctx context.Context) error { return o.e.sessions.Tasks.Wait(ctx) }
