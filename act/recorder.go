package act

import (
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/skills"
)

// Recorder makes intents and receipts durable. The engine is one. It must be
// safe for concurrent use.
type Recorder interface {
	// OpenIntent checks that the record with this sequence number is an allow that this
	// recorder recorded and that what it read has not changed, consumes the grant if
	// there was one, and writes the intent: one durable batch. If something changed it
	// decides again; the intent's action is then the new decision's.
	OpenIntent(ctx context.Context, decision uint64) (Intent, error)
	// CloseIntent writes the receipt of an intent, durably, once. A receipt that says
	// [Unknown] leaves the intent in doubt, and a later one may settle it.
	CloseIntent(ctx context.Context, in Intent, r Receipt) error
}

// Intent is the record that a recorder makes durable before an effect.
type Intent struct {
	ID       uint64         // sequence number of its record
	Key      string         // idempotency key, the same for every retry of this intent
	Decision uint64         // sequence number of the allow it rests on
	Action   *skills.Action // exactly the bytes that were allowed
	Tool     *skills.Tool   // how it was declared, or nil
	Session  string
	Deadline time.Time // past it the intent is in doubt; zero means none
	Try      int       // 0 the first time; counts how often the intent was tried again
	Dry      bool      // the action must not run
	Observed bool      // observe mode: the caller runs the action as proposed
	Approval string    // the approval that it consumed; "" for none
	Asker    Asker
}

// Asker is who asked for an action, as the host vouched for them when it was decided.
type Asker struct {
	Principal string // of the session
	Roles     []string
	Requester string // the agent's principal: whose cards are asked in its name
}

// complete returns an error if the intent lacks anything that acting on it needs.
func (in Intent) complete() error {
	switch {
	case in.ID == 0:
		return errors.New("act: the intent has no record")
	case in.Decision == 0:
		return errors.New("act: the intent rests on no recorded decision")
	case in.Key == "":
		return errors.New("act: the intent has no idempotency key")
	case in.Action == nil:
		return errors.New("act: the intent has no action")
	}
	return nil
}
