package act

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Intent is what a recorder has made durable before an effect.
type Intent struct {
	ID       uint64         // sequence number of its record
	Key      string         // idempotency key, the same for every retry of this intent
	Decision uint64         // sequence number of the allow it rests on
	Action   *skills.Action // exactly the bytes that were allowed
	Tool     *skills.Tool   // how it was declared, or nil
	Session  string
	Deadline time.Time // past it the intent is in doubt
	Dry      bool      // nothing is to be run
	Observed bool      // observe mode: the caller runs the action as proposed
}

// State is what came of an effect.
type State string

// The states of a receipt. The zero State is not valid.
const (
	Done    State = "done"    // it happened
	Failed  State = "failed"  // it was tried and reported an error; it may have happened in part
	Nothing State = "nothing" // it certainly did not happen, and spends nothing
	Unknown State = "unknown" // nobody can say: in doubt
)

// Receipt is what an actuator reports after an effect.
type Receipt struct {
	State  State
	Result sexpr.Value // typed output for rules and replay; nil for none
	Text   string      // output for the model and the user
	Error  string      // what went wrong, for the model and the user
	Took   time.Duration
}

// Recorder makes intents and receipts durable. The engine is one.
type Recorder interface {
	// Begin checks that d is an allow that this recorder recorded and that what
	// it read has not changed, consumes the grant if there was one, and writes
	// the intent: one durable batch. If something changed it decides again; the
	// intent's action is then the new decision's.
	Begin(ctx context.Context, d *reason.Decision) (Intent, error)
	// Finish writes the receipt of an intent, durably, once.
	Finish(ctx context.Context, in Intent, r Receipt) error
}

// Actuator changes the world. It gets exactly the action that was allowed and
// an idempotency key that is the same whenever the same intent is tried again.
type Actuator interface {
	Act(ctx context.Context, call Call) (Receipt, error)
}

// Call is what an actuator is asked to do.
type Call struct {
	Action  *skills.Action
	Key     string // idempotency key
	Session string
}
