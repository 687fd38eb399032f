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

// Operations are for the operator of an engine: to look after it, and to settle what only
// a person can settle.
type Operations struct{ e *Engine }

// Operations returns the operator's side of the engine.
func (e *Engine) Operations() Operations { return Operations{e} }

// Reload compiles the rules again and puts them in force at once. On an error the policy
// in force stays. Otherwise the engine supersedes every open approval and decides its
// action again under the new rules.
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

// KillSwitch turns the refusal of every action on or off. Every embedder may turn it on;
// only an operator may turn it off.
func (o Operations) KillSwitch(ctx context.Context, on bool, who approval.Approver) error {
	return o.e.ledger.KillSwitch(ctx, on, who)
}

// Facts returns the facts that operators and seeds have set, which rules read where the caller of Decide
// brings none: those of facts.ctx by their names, others as "facts.policy.freeze".
func (o Operations) Facts() sexpr.Value {
	return o.e.ledger.Facts()
}

// SetFact sets one fact of facts.ctx, or, by a name such as "facts.policy.freeze", one of facts.policy or
// facts.work; it removes it if value is nil. Only an operator may do so, and the engine records it. The
// fact holds for later decisions. The engine makes an earlier decision again before it acts on it.
func (o Operations) SetFact(ctx context.Context, name string, value sexpr.Value, who approval.Approver) error {
	return o.e.ledger.SetFact(ctx, name, value, who)
}

// Doubts returns the intents in doubt, oldest first. As long as an intent is in doubt, the
// engine refuses the same action in its session.
func (o Operations) Doubts(ctx context.Context) ([]ledger.Doubt, error) {
	return o.e.ledger.Doubts(ctx, o.e.j.View())
}

// Settle records a person's answer for an intent in doubt: it happened, or it did not. If
// it did not, it spends nothing. [Operations.Retry] is the third answer. For a
// compensation that failed, happened says whether the earlier effect is compensated all
// the same; if it is not, another compensation may be tried.
func (o Operations) Settle(ctx context.Context, intent uint64, happened bool, who approval.Approver) error {
	return o.e.ledger.Settle(ctx, intent, happened, who)
}

// Retry tries an intent in doubt once more, because a person says so, and waits for the
// receipt. It is the same intent, with the same idempotency key and the same approval.
// Today's rules judge its action again, as if it had not begun; a [NotAllowed] leaves it
// in doubt. If two people ask for it at once, the second gets [ErrNoDoubt].
//
// A tool that does not honour the key may repeat its effect. The person who calls Retry
// accepts that.
func (o Operations) Retry(ctx context.Context, intent uint64, who approval.Approver) (Receipt, error) {
	return o.e.sessions.Retry(ctx, intent, who)
}

// Interrupt stops the signal that is being answered in a session and those that wait
// behind it. It returns how many it stopped; a signal that was answered at this very
// moment may count. Only the principal of the signals and an operator may interrupt; for
// anyone else nothing happens and the error is [ErrNotOwner] (row 31, weakness W29). The
// engine cancels an effect that has begun as far as its actuator can, and its receipt says
// what is known. Later signals are answered as usual.
func (o Operations) Interrupt(ctx context.Context, session string, by perceive.Peer) (stopped int, err error) {
	return o.e.sessions.Interrupt(ctx, session, by)
}

// EndSession ends a session, as retention does with one that was silent for long. Later
// signals under its name begin a new session, whose rules and models see nothing from
// before. Use it for a session whose history takes all of [Caps.SessionMemory] and whose
// name is fixed, such as a chat's. Only an operator may end a session, because rules that
// look back then judge without its history.
//
// EndSession removes nothing from the record. What was spent still counts for the
// principal. Decisions from before can be explained but not replayed.
func (o Operations) EndSession(ctx context.Context, session string, who approval.Approver) error {
	if err := o.e.ledger.Usable(); err != nil {
		return err
	}
	if who.Name == "" || !o.e.ledger.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("session %q: %w: a session is ended by an operator", session, approval.ErrNotApprover)
	}
	return ledger.Plain(o.e.retainer.EndSession(ctx, session, who.Name, who.Via))
}

// Maintain runs one round of maintenance now, as a heartbeat does: among other things it
// marks approvals expired whose time is over, which takes them off every list, and
// escalates those that have waited for long.
func (o Operations) Maintain(ctx context.Context) error { return o.e.maintain(ctx) }

// Retain removes what [Options.Retain] no longer keeps, as a heartbeat does. It works in
// small steps between other writes. Each step leaves a record of kind "retention".
func (o Operations) Retain(ctx context.Context) (retention.Retention, error) {
	if err := o.e.ledger.Usable(); err != nil {
		return retention.Retention{}, err
	}
	return o.e.retainer.Retain(ctx)
}

// Checkpoint signs the head of the record, records that, and returns the text of the
// checkpoint. It keeps the text in the record's folder and, if a place outside is set,
// there too. A record in memory has no checkpoints.
func (o Operations) Checkpoint(ctx context.Context) (string, error) {
	if o.e.ledger.Closed.Load() {
		return "", ledger.ErrClosed
	}
	return o.e.integrity.Checkpoint(ctx)
}

// LastCheckpoint returns the newest checkpoint, or "" before the first one.
func (o Operations) LastCheckpoint() (string, error) {
	return o.e.integrity.LastCheckpoint()
}

// Answers waits for one round trip through the journal's writer. A record that can no
// longer be written answers too. The only error is the cause of ctx.
func (o Operations) Answers(ctx context.Context) error {
	_ = o.e.j.Update(ctx, func(*journal.Tx) error { return nil })
	return context.Cause(ctx)
}

// Wait returns when the engine has acted on every approval that was answered, and no such
// task runs in the background.
func (o Operations) Wait(ctx context.Context) error { return o.e.sessions.Tasks.Wait(ctx) }
