package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// AfterLoss does, once, what is due after a repair that accepted the loss of a part of the
// record. The indexes may then be older than what happened, and may name records that are
// gone. So earlier approvals no longer hold, entries that name a lost record are removed,
// and a decision with an intent counts as used.
func (l *Ledger) AfterLoss(ctx context.Context) error {
	seq, err := l.J.Mended()
	if err != nil || seq == 0 {
		return err
	}
	setting := record.TableSetting.Key(record.SettingMended)
	if done, err := l.J.Get(setting); err != nil || record.AsNumber(done) == seq {
		return err
	}
	gone, err := l.dangling(ctx, seq)
	if err != nil {
		return err
	}
	used, tries := map[uint64]uint64{}, tries{map[record.Step]record.Tried{}, map[uint64]record.Step{}}
	if err := l.J.Records(1, func(r journal.Record) error {
		tries.note(r)
		if r.Kind != record.KindIntent {
			return context.Cause(ctx)
		}
		if in := record.IntentFrom(r.Body); !in.Dry {
			used[in.Decision] = r.Seq
		}
		return context.Cause(ctx)
	}); err != nil {
		return err
	}
	var open []*approval.Approval
	if err := record.TableGrant.Scan(l.J, func(session, requester string, action sexpr.Digest, token []byte) error {
		a, err := approval.Load(l.J, string(token))
		if err != nil {
			gone = append(gone, record.TableGrant.Key(session, requester, action))
			return nil //nolint:nilerr // it is open under this key alone
		}
		open = append(open, a)
		return nil
	}); err != nil {
		return err
	}
	l.Opt.Logger.Warn("a repair went on without a part of the record: what was approved before has to be asked anew",
		"record", seq, "approvals", len(open), "forgotten", len(gone))
	return l.J.Finish(ctx, func(tx *journal.Tx) error {
		for _, k := range gone {
			tx.Delete(k)
		}
		for decision, intent := range used {
			tx.Set(record.TableUsed.Key(decision), record.Number(intent))
		}
		for _, a := range open {
			if err := approval.Move(tx, a, approval.Superseded); err != nil {
				return err
			}
		}
		tx.Set(setting, record.Number(seq))
		return tries.save(tx)
	})
}

// tries are how tries at steps of runs stand by the records that there are. Their cards are left
// out, since none holds.
type tries struct {
	of map[record.Step]record.Tried
	by map[uint64]record.Step // of an intent
}

func (t tries) note(r journal.Record) {
	step, ok := record.StepFrom(r.Body)
	switch {
	case ok && r.Kind == record.KindDecision && r.Body.GetInt("retry") == 0:
		t.of[step] = record.Tried{Decision: r.Seq}
	case ok && r.Kind == record.KindIntent:
		t.of[step] = record.Tried{Decision: record.IntentFrom(r.Body).Decision, Intent: r.Seq}
		t.by[r.Seq] = step
	case r.Kind == record.KindReceipt:
		rc := record.ReceiptFrom(r.Body)
		if step, ok := t.by[rc.Intent]; ok && t.of[step].Intent == rc.Intent {
			t.of[step] = record.Tried{Decision: t.of[step].Decision, Intent: rc.Intent, Receipt: r.Seq}
		}
	}
}

// save writes them where the table is older. Where it is newer, what it names is lost: the try is
// in doubt.
func (t tries) save(tx *journal.Tx) error {
	for step, x := range t.of {
		if err := tried(tx, step, func(old *record.Tried) {
			if x.Decision == old.Decision {
				x.Intent, x.Receipt = max(x.Intent, old.Intent), max(x.Receipt, old.Receipt)
			}
			if x.Decision >= old.Decision {
				*old = x
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// dangling are the entries of indexes that end with the number of a record which is not
// there, or is the one that a repair has written in its place.
func (l *Ledger) dangling(ctx context.Context, mended uint64) (gone [][]byte, err error) {
	for _, table := range []byte{byte(record.TableSession), byte(record.TableSpent), byte(record.TablePrincipal),
		byte(record.TableIntent), byte(record.TableDoing), byte(record.TableCompensation), byte(record.TableFailed)} {
		err = errors.Join(err, record.Scan(l.J, []byte{table}, func(k, _ []byte) error {
			if len(k) < 8 {
				return nil
			}
			seq := binary.BigEndian.Uint64(k[len(k)-8:])
			_, err := l.J.Read(seq)
			if errors.Is(err, journal.ErrNotFound) || seq == mended {
				gone = append(gone, bytes.Clone(k))
				err = nil
			}
			return errors.Join(err, context.Cause(ctx))
		}))
	}
	return gone, err
}
