package cortex

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Doubt is an intent of which nobody knows whether it happened.
type Doubt struct {
	Intent  uint64 // its record
	Action  *Action
	Session string
	Key     string // the idempotency key the actuator was given
}

// Doubts returns the intents in doubt, oldest first. While one stands, the same
// action is refused in its session.
func (e *Engine) Doubts(ctx context.Context) ([]Doubt, error) {
	var out []Doubt
	err := scan(e.j, []byte{tableIntent}, func(k, _ []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		rec, err := e.j.Read(asNumber(k[1:]))
		if err != nil {
			return err
		}
		args, _ := rec.Body.Get("args")
		a, err := skills.NewAction(rec.Body.GetText("tool"), args, "")
		if err != nil {
			return fmt.Errorf("intent %d: %w", rec.Seq, err)
		}
		where, err := e.j.Get(key(tableDoing, rec.Session, a.Digest(), rec.Seq))
		if err != nil || where == nil || !e.doubtful(where) {
			return err
		}
		out = append(out, Doubt{Intent: rec.Seq, Action: a, Session: rec.Session, Key: rec.Body.GetText("key")})
		return nil
	})
	return out, err
}

// doubtful reads one entry of the index of open intents. An engine that only
// inspects, while nothing else runs on the record, has no run of its own.
func (e *Engine) doubtful(entry []byte) bool {
	return asNumber(entry[:8]) != e.epoch || asNumber(entry[8:]) <= uint64(e.now().UnixNano())
}

// ErrNoDoubt says that an intent is settled, or still being carried out.
var ErrNoDoubt = errors.New("it is not in doubt: it is settled, or still being carried out")

// Settle records a person's answer for an intent in doubt: it happened, or it
// did not, in which case it spends nothing.
func (e *Engine) Settle(ctx context.Context, intent uint64, happened bool, who Approver) error {
	if !e.belongs(who, skills.DefaultClass) {
		return fmt.Errorf("intent %d: %w: an operator says what came of it", intent, ErrNotApprover)
	}
	r := Receipt{State: act.Nothing, Text: "did not happen, says " + who.Name}
	if happened {
		r = Receipt{State: act.Done, Text: "happened, says " + who.Name}
	}
	return e.j.Update(ctx, func(tx *journal.Tx) error {
		rec, err := tx.Read(intent)
		if err != nil {
			return err
		}
		if rec.Kind != kindIntent {
			return fmt.Errorf("record %d is a %s, not an intent", intent, rec.Kind)
		}
		digest, err := sexpr.ParseDigest(rec.Body.GetText("digest"))
		if err != nil {
			return err
		}
		where, err := tx.Get(key(tableDoing, rec.Session, digest, rec.Seq))
		if err != nil {
			return err
		}
		if where == nil || !e.doubtful(where) {
			return fmt.Errorf("intent %d: %w", intent, ErrNoDoubt)
		}
		return e.settle(tx, rec, r, who.Name)
	})
}
