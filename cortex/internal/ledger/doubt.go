package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Doubt is an intent in doubt: whether its effect happened is not known.
type Doubt struct {
	Intent  uint64 // its record
	Action  *skills.Action
	Session string
	Key     string // the idempotency key the actuator was given
	Tries   int    // how often it was tried again
}

// Doubts returns the intents in doubt, oldest first. As long as an intent is in doubt, the
// engine refuses the same action in its session.
func (l *Ledger) Doubts(ctx context.Context, from Records) ([]Doubt, error) {
	var out []Doubt
	err := record.TableIntent.Scan(from, func(intent uint64, _ []byte) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		rec, err := from.Read(intent)
		if err != nil {
			return err
		}
		in := record.IntentFrom(rec.Body)
		a, err := in.Action()
		if err != nil {
			return fmt.Errorf("intent %d: %w", rec.Seq, err)
		}
		raw, err := from.Get(record.TableDoing.Key(rec.Session, a.Digest(), rec.Seq))
		if err != nil || raw == nil {
			return err
		}
		entry, err := doingFrom(raw)
		if err != nil || !l.doubtful(entry) {
			return err
		}
		out = append(out,
			Doubt{Intent: rec.Seq, Action: a, Session: rec.Session, Key: in.Key, Tries: entry.try})
		return nil
	})
	return out, err
}

// doubtful reports whether an open intent is in doubt. An engine that only inspects, while
// nothing else runs on the record, has no run of its own.
func (l *Ledger) doubtful(d doing) bool {
	return d.epoch != l.Epoch || !l.Clock.Steady().Before(d.deadline)
}

// ErrNoDoubt says that an intent is settled, or still being carried out.
var ErrNoDoubt = errors.New("it is not in doubt: it is settled, or still being carried out")

// Records is a [record.Reader] of records too. Read from a view, they hold no secrets.
type Records interface {
	record.Reader
	Read(seq uint64) (journal.Record, error)
}

// doubted reads an intent that is in doubt for r.
func (l *Ledger) doubted(r Records, intent uint64) (rec journal.Record, entry doing, err error) {
	if rec, err = r.Read(intent); err != nil {
		return rec, entry, err
	}
	if rec.Kind != record.KindIntent {
		return rec, entry, fmt.Errorf("record %d is of the kind %s, and not an intent", intent, rec.Kind)
	}
	digest, err := sexpr.ParseDigest(record.IntentFrom(rec.Body).Digest)
	if err != nil {
		return rec, entry, err
	}
	raw, err := r.Get(record.TableDoing.Key(rec.Session, digest, rec.Seq))
	if err != nil {
		return rec, entry, err
	}
	if raw == nil {
		return rec, entry, fmt.Errorf("intent %d: %w", intent, ErrNoDoubt)
	}
	if entry, err = doingFrom(raw); err == nil && !l.doubtful(entry) {
		err = fmt.Errorf("intent %d: %w", intent, ErrNoDoubt)
	}
	return rec, entry, err
}

// Settle records a person's answer for an intent in doubt: it happened, or it did not. If
// it did not, it spends nothing. Operations.Retry is the third answer. For a compensation
// that failed, happened says whether the earlier effect is compensated all the same; if it
// is not, another compensation may be tried.
func (l *Ledger) Settle(ctx context.Context, intent uint64, happened bool, who approval.Approver) error {
	if who.Name == "" || !l.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("intent %d: %w: only an operator may settle it", intent, approval.ErrNotApprover)
	}
	r := act.Receipt{State: act.Nothing, Text: "did not happen, says " + who.Name}
	if happened {
		r = act.Receipt{State: act.Done, Text: "happened, says " + who.Name}
	}
	err := l.SettleDoubt(ctx, intent, -1, r, who.Name)
	if errors.Is(err, ErrNoDoubt) {
		return l.settleFailed(ctx, intent, happened, who.Name)
	}
	return err
}

// SettleDoubt writes the receipt that by has for an intent in doubt. If it was
// found out after so many tries, and there has been another since, it is void; -1
// holds for all.
func (l *Ledger) SettleDoubt(ctx context.Context, intent uint64, tries int, r act.Receipt, by string) error {
	return l.J.Finish(ctx, func(tx *journal.Tx) error {
		rec, entry, err := l.doubted(tx, intent)
		if err != nil {
			return err
		}
		if tries >= 0 && tries != entry.try {
			return fmt.Errorf("intent %d: %w", intent, ErrNoDoubt)
		}
		return l.WriteReceipt(tx, rec, r, entry.try, by)
	})
}
