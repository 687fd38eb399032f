package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// renewEvery is how often the file of keys is renewed at most: that moves all keys that are
// left.
const renewEvery = 24 * time.Hour

// destroy removes the key of what is hidden in a record. Its bytes may stay in the files of
// the store for some time; when the file of keys is renewed, they open nothing.
func destroy(tx *journal.Tx, seq uint64) {
	tx.Delete(record.TableKey.Key(seq))
	tx.Set(record.TableSetting.Key(record.SettingDestroyed), []byte{1})
}

// secrets destroys the keys of old records that stay, and renews the file of keys if any were
// destroyed since it was last renewed.
func (r *retention) secrets(ctx context.Context) error {
	if r.keeper.Keys == nil {
		return nil
	}
	if age := r.keeper.Opt.Secrets; age > 0 {
		cutoff := r.now.Add(-age).UnixNano()
		for from, done := uint64(0), false; !done; {
			err := r.keeper.J.Finish(ctx, func(tx *journal.Tx) (err error) {
				from, done, err = r.destroySome(tx, from, cutoff)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return r.keeper.renew(ctx, r.now)
}

// errFull ends a scan that has seen enough for one update.
var errFull = errors.New("enough for one update")

// destroySome destroys keys of records behind from that are older than cutoff, and that
// nothing live refers to. It returns the last that it looked at, and whether that is all.
func (r *retention) destroySome(tx *journal.Tx, from uint64, cutoff int64) (last uint64, done bool, err error) {
	live, err := findLiveRefs(tx)
	if err != nil {
		return from, false, err
	}
	seen, gone := 0, 0
	err = record.TableKey.After(tx, from, func(seq uint64, _ []byte) error {
		if seen++; seen > SliceOf {
			return errFull
		}
		last = seq
		rec, err := r.keeper.J.View().Read(seq)
		switch {
		case errors.Is(err, journal.ErrRemoved): // as lost, in a repair
			destroy(tx, seq)
			return nil
		case errors.Is(err, journal.ErrNotFound): // it is not durable yet, and so the newest
			return errFull
		case err != nil:
			return err
		case rec.At > cutoff:
			return errFull
		case live.records[seq] || live.tokens[rec.Body.GetText("token")] || live.tokens[rec.Body.GetText("grant")]:
			return nil
		}
		if rests, err := live.rest(tx, rec); err != nil || rests {
			return err
		}
		destroy(tx, seq)
		gone++
		return nil
	})
	done = seen <= SliceOf
	if errors.Is(err, errFull) {
		err = nil
	}
	if err == nil {
		r.out.Destroyed += gone
	}
	return last, done, err
}

// renew moves all keys that are left under a new one of the file, and destroys the older
// ones. A crash in between leaves both in the file, and the next run goes on.
func (k *Keeper) renew(ctx context.Context, now time.Time) error {
	destroyed, err := k.J.Get(record.TableSetting.Key(record.SettingDestroyed))
	if err != nil || destroyed == nil {
		return err
	}
	last, err := k.J.Get(record.TableSetting.Key(record.SettingRenewed))
	if err != nil {
		return err
	}
	if since := now.Unix() - int64(record.AsNumber(last)); last != nil && since >= 0 &&
		since < int64(renewEvery/time.Second) {
		return nil
	}
	move, finish, err := k.Keys.Renew()
	if err != nil {
		return fmt.Errorf("the file of keys: %w", err)
	}
	// What is sealed from here on is under the new key already; what was sealed before is on
	// record when this update runs, since the writer is one.
	for from, done := uint64(0), false; !done; {
		err := k.J.Finish(ctx, func(tx *journal.Tx) (err error) {
			from, done, err = moveSome(tx, from, move)
			return err
		})
		if err != nil {
			return fmt.Errorf("the file of keys: %w", err)
		}
	}
	if err := finish(); err != nil {
		return fmt.Errorf("the file of keys: %w", err)
	}
	return k.J.Finish(ctx, func(tx *journal.Tx) error {
		tx.Delete(record.TableSetting.Key(record.SettingDestroyed))
		tx.Set(record.TableSetting.Key(record.SettingRenewed), record.Number(uint64(now.Unix())))
		return nil
	})
}

func moveSome(tx *journal.Tx, from uint64, move func([]byte) ([]byte, error)) (last uint64, done bool, err error) {
	seen := 0
	err = record.TableKey.After(tx, from, func(seq uint64, value []byte) error {
		if seen++; seen > SliceOf {
			return errFull
		}
		last = seq
		moved, err := move(value)
		if err != nil {
			return fmt.Errorf("record %d: %w", seq, err)
		}
		tx.Set(record.TableKey.Key(seq), moved)
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return last, seen <= SliceOf, err
}
