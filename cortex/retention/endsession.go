package retention

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// ErrOpenSession says that a session cannot end yet.
var ErrOpenSession = errors.New("something in it is open: an approval, an intent in doubt, a failed compensation or " +
	"a signal without an answer")

// EndSession ends a session, as retention does with one that was silent for long. Later
// signals under its name begin a new session, whose rules and models see nothing from
// before. by and via name the operator and the channel, for the record. The error is
// [ErrOpenSession] if something in the session is open.
//
// EndSession removes nothing from the record. What was spent still counts for the
// principal. Decisions from before can be explained but not replayed.
func (k *Keeper) EndSession(ctx context.Context, session, by, via string) error {
	k.History.Gate.Lock() // anyone who reads a history meanwhile waits, and finds the new one
	defer k.History.Gate.Unlock()
	err := k.J.Update(ctx, func(tx *journal.Tx) error { return endSession(tx, session, by, via) })
	k.History.Forget(session)
	if err != nil {
		return fmt.Errorf("session %q is not ended: %w", session, err)
	}
	return nil
}

func endSession(tx *journal.Tx, session, by, via string) error {
	p, err := findLiveRefs(tx)
	if err != nil {
		return err
	}
	if p.sessions[session] {
		return ErrOpenSession
	}
	rec, err := record.Append(tx, session, record.End{By: by, Via: via})
	if err != nil {
		return err
	}
	return record.Ended(tx, session, rec.Seq)
}
