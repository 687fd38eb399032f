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
	used := map[uint64]uint64{}
	if err := l.J.Records(1, func(r journal.Record) error {
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
		return nil
	})
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
