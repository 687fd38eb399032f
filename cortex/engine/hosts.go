package engine

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/internal/session"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Hosts are for programs that bring what happens elsewhere: a messenger's stream of
// signals, or a coding agent that runs its own model and tools and asks before each call.
// They tell the engine what a person said and what the model read, so that the record and
// the rules know the session.
type Hosts struct{ e *Engine }

// Hosts returns the side of the engine that hosts of agents use.
func (e *Engine) Hosts() Hosts { return Hosts{e} }

// Hear records what a person said to the host's model. No model here answers it. The
// caller vouches for Source, Principal and Session. It returns the record; for a dedupe key
// that was seen before, that of the first signal.
func (h Hosts) Hear(ctx context.Context, sig Signal) (uint64, error) {
	return h.e.sessions.Hear(ctx, sig)
}

// Read records a text that the host's model read and that is neither a person's message
// nor the result of a call: a description of a tool, a file that the host filled in. Rules
// trust it as little as the result of an untrusted tool.
func (h Hosts) Read(ctx context.Context, in, source, name, text string) (uint64, error) {
	return h.e.sessions.Hear(ctx, session.TextRead(in, source, name, text))
}

// Decide is [Engine.Decide] for a model that acts on behalf of the session's principal. The requester of
// a card is Options.Agent, which cannot answer it. The principal may, unless the rule excludes them.
func (h Hosts) Decide(ctx context.Context, action *Action, facts *Facts) (*Decision, error) {
	return h.e.ledger.DecideFor(ctx, h.e.opt.Agent, action, facts)
}

// Open returns the intents of a session that have no receipt, oldest first.
func (h Hosts) Open(session string) ([]act.Intent, error) { return h.e.ledger.OpenIn(session) }

// Calls returns how long ago calls of a session were decided on, begun and ended, of those within the given time;
// nil if none is on record.
func (h Hosts) Calls(ctx context.Context, session string, within time.Duration) (*history.Span, error) {
	if err := h.e.clock.Set(ctx); err != nil {
		return nil, err
	}
	return h.e.history.Calls(session, h.e.ledger.Now(), within)
}

// Finish records the outcome of an action that the host ran under a permit that it no
// longer holds. If the engine runs the tool itself, the error is [act.ErrOurs].
func (h Hosts) Finish(ctx context.Context, intent uint64, r Receipt) error {
	in, err := h.e.ledger.IntentAt(intent)
	if err != nil {
		return err
	}
	return h.e.dispatcher.Report(ctx, in, r)
}

// Decision returns a decision on record, and its session.
func (h Hosts) Decision(seq uint64) (*Decision, string, error) {
	rec, err := h.e.j.Read(seq)
	if err != nil {
		return nil, "", err
	}
	d, err := record.DecisionFrom(rec)
	return d, rec.Session, err
}

// Logs returns the logs on this engine's record, for programs that keep runs of their own on
// it.
func (h Hosts) Logs() *logs.Logs {
	return logs.New(h.e.j, h.e.ledger.Writable, h.e.ledger.Update, h.e.sessions.EnterNow).MaskWith(h.e.veil.Masked)
}

// Drive has the engine go on with the run of a log, in the background, as an append with
// [logs.Tx.Wake] does. by is who the run is for, if it is woken for the first time.
func (h Hosts) Drive(ctx context.Context, log string, by perceive.Peer) error {
	return h.Logs().Wake(ctx, log, by.Principal, by.Roles...)
}

// Rest returns when the run of a log is not being driven. The caller must not hold the turn of the
// log.
func (h Hosts) Rest(ctx context.Context, log string) error {
	head, err := h.Logs().Head(log)
	if err != nil || head.Root == 0 {
		return err
	}
	return h.e.runs.Wait(ctx, head.Root)
}

// Try returns how a try at a step of a log's run stands: whether it waits for people, or is in
// doubt. It only reads.
func (h Hosts) Try(log, step, try string) (Taken, error) {
	head, err := h.Logs().Head(log)
	if err != nil || head.Root == 0 {
		return Taken{State: StepNone}, err
	}
	return h.e.runs.Look(head.Root, step, try)
}

// Env returns what rules read as facts.env where the caller of Decide brings none.
func (h Hosts) Env() sexpr.Value { return h.e.opt.Env }
