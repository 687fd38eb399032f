package ledger

import (
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/record"
)

// IntentAt returns the recorded intent.
func (l *Ledger) IntentAt(seq uint64) (act.Intent, error) {
	rec, err := l.J.Read(seq)
	if err != nil {
		return act.Intent{}, err
	}
	if rec.Kind != record.KindIntent {
		return act.Intent{}, fmt.Errorf("cortex: record %d: %w", seq, ErrNoIntent)
	}
	in := record.IntentFrom(rec.Body)
	a, err := in.Action()
	if err != nil {
		return act.Intent{}, fmt.Errorf("cortex: intent %d: %w", seq, err)
	}
	return act.Intent{ID: seq, Key: in.Key, Decision: in.Decision, Action: a, Session: rec.Session, Dry: in.Dry,
		Observed: in.Observed, Approval: in.Grant}, nil
}

// OpenIn returns the intents of a session without a receipt, oldest first.
func (l *Ledger) OpenIn(session string) (open []act.Intent, err error) {
	err = record.TableIntent.Scan(l.J, func(seq uint64, _ []byte) error {
		in, err := l.IntentAt(seq)
		if err == nil && in.Session == session {
			open = append(open, in)
		}
		return err
	})
	return open, err
}
