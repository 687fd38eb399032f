package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// Compensation is an action that compensates an earlier effect. It does not undo it: the
// action goes through the gates like any other, and has a decision, an intent, an
// idempotency key and a receipt of its own. In addition the record names the intent that
// it compensates, so that it happens at most once.
type Compensation struct {
	Intent uint64            // the intent that it compensates
	Action *skills.Action    // the compensating action
	By     uint64            // its own intent; 0 for none
	State  CompensationState // its state
}

// CompensationState is the state of a compensation.
type CompensationState string

// The states of a compensation.
const (
	CompensationRunning  CompensationState = "running"  // it has begun
	CompensationInDoubt  CompensationState = "in-doubt" // whether it happened is not known
	CompensationFailed   CompensationState = "failed"   // it broke off: a person has to settle it
	CompensationDone     CompensationState = "done"     // the intent is compensated
	CompensationNeedless CompensationState = "needless" // the intent had no effect to compensate
)

// CompensationError says that an intent has a compensation already, in whatever state.
type CompensationError struct{ Compensation }

func (e *CompensationError) Error() string {
	switch e.State {
	case CompensationRunning:
		return fmt.Sprintf("intent %d is already doing so", e.By)
	case CompensationInDoubt:
		return fmt.Sprintf("it is not known whether intent %d has done so: settle it first", e.By)
	case CompensationFailed:
		return fmt.Sprintf("intent %d was to do so and failed: settle it first, as happened if it is made up for all the "+
			"same, else as did-not", e.By)
	}
	return fmt.Sprintf("intent %d has done so", e.By)
}

// Errors of compensations that callers may want to tell apart.
var (
	ErrNoIntent  = errors.New("no such intent")
	ErrNothing   = errors.New("nothing happened, so there is nothing to be made up for")
	ErrUnsettled = errors.New("it is still being carried out, or its outcome is unknown: settle it first")
)

// Compensate judges, as Engine.Decide does, an action that compensates the effect of an
// intent. f says who asks; if it names no session, the session is the intent's.
// Engine.Begin then gives a permit, one for each intent: a second caller gets a
// [CompensationError], until the first compensation is settled as having done nothing. The
// engine never retries a compensation that failed; a person settles it.
//
// The error is [ErrNoIntent] if the intent does not exist, [ErrNothing] if it had no
// effect, and [ErrUnsettled] if its effect is not known.
func (l *Ledger) Compensate(ctx context.Context, intent uint64, a *skills.Action, f *skills.Facts) (*record.Decision,
	error) {
	return l.CompensateBy(ctx, Compensation{Intent: intent, Action: a}, f, false)
}

// CompensateBy decides on a compensation; ours says that the engine carries it out.
func (l *Ledger) CompensateBy(ctx context.Context, c Compensation, f *skills.Facts, ours bool) (*record.Decision,
	error) {
	if err := l.Usable(); err != nil {
		return nil, err
	}
	rec, err := l.Effect(c.Intent)
	if err != nil {
		return nil, fmt.Errorf("compensation of intent %d: %w", c.Intent, err)
	}
	q, err := questionOf(c.Action, f)
	if err != nil {
		return nil, err
	}
	if q.Facts.Session.ID == "" {
		q.Facts.Session.ID = rec.Session
	}
	q.Cause = Compensating{c.Intent, ours}
	return l.DecideOn(ctx, q)
}

// Effect reads an intent that can be compensated.
func (l *Ledger) Effect(intent uint64) (rec journal.Record, err error) {
	if rec, err = l.intentAt(l.J, intent); err != nil {
		return rec, err
	}
	if record.IntentFrom(rec.Body).Dry {
		return rec, ErrNothing
	}
	open, err := l.J.Get(record.TableIntent.Key(intent))
	if err != nil {
		return rec, err
	}
	if open != nil {
		return rec, ErrUnsettled
	}
	rc, err := l.cameOf(rec)
	if err != nil {
		return rec, err
	}
	if rc.State == act.Nothing {
		return rec, ErrNothing
	}
	return rec, l.free(l.J, intent)
}

// records is what Journal and Tx have in common, where records are read as well.
type records interface {
	record.Reader
	Read(seq uint64) (journal.Record, error)
}

// intentAt reads the record of an intent.
func (l *Ledger) intentAt(r records, intent uint64) (journal.Record, error) {
	rec, err := r.Read(intent)
	switch {
	case errors.Is(err, journal.ErrNotFound), errors.Is(err, journal.ErrRemoved):
		return rec, fmt.Errorf("%w: %w", ErrNoIntent, err)
	case err == nil && rec.Kind != record.KindIntent:
		return rec, fmt.Errorf("%w: record %d is of the kind %s", ErrNoIntent, intent, rec.Kind)
	}
	return rec, err
}

// cameOf finds the receipt of an intent that is settled.
func (l *Ledger) cameOf(rec journal.Record) (act.Receipt, error) {
	marks, err := l.Marks(rec.Session, rec.Seq)
	if err != nil {
		return act.Receipt{}, err
	}
	decision := record.IntentFrom(rec.Body).Decision
	for _, m := range marks {
		if m[1] == decision {
			got, err := l.J.Read(m[0])
			return record.ReceiptFrom(got.Body).Receipt, err
		}
	}
	return act.Receipt{}, fmt.Errorf("its receipt: %w", journal.ErrRemoved)
}

// free returns a [CompensationError] if an intent has a compensation.
func (l *Ledger) free(r records, intent uint64) error {
	c, err := l.standing(r, intent)
	if err == nil && c != nil {
		err = &CompensationError{*c}
	}
	return err
}

// standing returns the compensation of an intent, or nil.
func (l *Ledger) standing(r records, intent uint64) (*Compensation, error) {
	raw, err := r.Get(record.TableCompensation.Key(intent))
	if err != nil || raw == nil {
		return nil, err
	}
	return l.compensationBy(r, record.AsNumber(raw))
}

// compensationBy reads a compensation by its own intent.
func (l *Ledger) compensationBy(r records, by uint64) (*Compensation, error) {
	rec, err := l.intentAt(r, by)
	if err != nil {
		return nil, err
	}
	in := record.IntentFrom(rec.Body)
	c := &Compensation{Intent: in.Compensates, By: by, State: CompensationDone}
	if c.Action, err = in.Action(); err != nil {
		return nil, fmt.Errorf("intent %d: %w", by, err)
	}
	failed, err := r.Get(record.TableFailed.Key(by))
	if err != nil {
		return nil, err
	}
	if failed != nil {
		c.State = CompensationFailed
	}
	raw, err := r.Get(record.TableDoing.Key(rec.Session, c.Action.Digest(), by))
	if err != nil || raw == nil {
		return c, err
	}
	entry, err := doingFrom(raw)
	c.State = CompensationRunning
	if l.doubtful(entry) {
		c.State = CompensationInDoubt
	}
	return c, err
}

// claim notes, in the write that opens intent by, that it compensates another intent. No
// other place lets a compensation begin.
func (l *Ledger) claim(tx *journal.Tx, intent, by uint64) error {
	_, err := l.intentAt(tx, intent)
	if err == nil {
		err = l.free(tx, intent)
	}
	if err != nil {
		return fmt.Errorf("compensation of intent %d: %w", intent, err)
	}
	tx.Set(record.TableCompensation.Key(intent), record.Number(by))
	return nil
}

// compensated notes what the receipt of intent by means for the intent that it
// compensates; 0 is none. If nothing happened, another compensation may begin; after a
// failure a person must settle it.
func compensated(tx *journal.Tx, by, intent uint64, rc act.Receipt) {
	switch {
	case intent == 0:
	case rc.State == act.Nothing:
		tx.Delete(record.TableCompensation.Key(intent))
	case rc.State == act.Failed:
		tx.Set(record.TableFailed.Key(by), record.Number(intent))
	}
}

// FailedCompensations returns the compensations that failed and that no person has settled
// since, oldest first. The engine does not try them again.
func (l *Ledger) FailedCompensations(ctx context.Context) (out []Compensation, err error) {
	err = record.TableFailed.Scan(l.J, func(by uint64, _ []byte) error {
		c, err := l.compensationBy(l.J, by)
		if err == nil {
			out = append(out, *c)
		}
		return errors.Join(err, context.Cause(ctx))
	})
	return out, err
}

// settleFailed records a person's answer for a compensation that failed: the earlier
// effect is compensated all the same, or it is not and another compensation may be tried.
// For any other intent it returns [ErrNoDoubt].
func (l *Ledger) settleFailed(ctx context.Context, by uint64, happened bool, who string) error {
	return l.J.Finish(ctx, func(tx *journal.Tx) error {
		raw, err := tx.Get(record.TableFailed.Key(by))
		if err != nil {
			return err
		}
		if raw == nil {
			return fmt.Errorf("intent %d: %w", by, ErrNoDoubt)
		}
		rec, err := tx.Read(by)
		if err != nil {
			return err
		}
		tx.Delete(record.TableFailed.Key(by))
		if !happened {
			tx.Delete(record.TableCompensation.Key(record.AsNumber(raw)))
		}
		_, err = record.Append(tx, rec.Session,
			record.Settled{Intent: by, Compensates: record.AsNumber(raw), Happened: happened, By: who})
		return err
	})
}

// Marks are the decisions of a session behind a record, and the receipts with the
// decision that they are for.
func (l *Ledger) Marks(session string, behind uint64) (marks [][2]uint64, err error) {
	err = record.TableSession.Range(l.J, session, behind+1, math.MaxUint64, func(seq uint64, v []byte) error {
		if len(v) == 9 && (v[0] == record.MarkDecision || v[0] == record.MarkReceipt) {
			marks = append(marks, [2]uint64{seq, record.AsNumber(v[1:])})
		}
		return nil
	})
	return marks, err
}
