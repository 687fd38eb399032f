package integrity

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

const (
	scrubBatch = 256
	// scrubPause is the time between two batches: about 2 500 records a second, a
	// tenth of one core.
	scrubPause = 100 * time.Millisecond
)

// Scrub is the progress of the background check since the engine opened.
type Scrub struct {
	Checked uint64 // the last record that was checked
	Done    bool   // every record that was there at the start is as it was written
	Err     error  // the damage that was found, or nil
	// Compared is when this engine or an earlier one last read the whole log in the
	// background and compared it with the tables; the zero time for never.
	Compared time.Time
}

// scrubAgain is the time between two checks of the whole record.
const scrubAgain = 24 * time.Hour

// Scrub checks the record in small steps, and again every day: first the whole chain, up
// to the record that was the last when it began, then the log against the tables.
func (i *Keeper) Scrub() {
	for {
		err := i.scrubChain()
		if err == nil {
			err = i.Compare()
		}
		if err != nil {
			return
		}
		again := time.NewTimer(scrubAgain)
		select {
		case <-again.C:
		case <-i.Ctx.Done():
			again.Stop()
			return
		}
	}
}

// found notes what the check has found so far.
func (i *Keeper) found(s Scrub) error {
	if s.Compared = i.Compared(); s.Err != nil && i.Ctx.Err() == nil {
		i.Logger.Error("the record is damaged", "error", s.Err)
	}
	i.Scrubbed.Store(&s)
	return s.Err
}

// scrubChain checks the chain in the tables.
func (i *Keeper) scrubChain() error {
	t := time.NewTicker(scrubPause)
	defer t.Stop()
	end := i.J.Last()
	for at := uint64(1); ; {
		next, err := i.ScrubSome(at, end)
		done := err == nil && next >= end
		if err := i.found(Scrub{Checked: next, Done: done, Err: err}); err != nil || done {
			return err
		}
		at = next // its link to the next one is still to be checked
		select {
		case <-t.C:
		case <-i.Ctx.Done():
			return context.Cause(i.Ctx)
		}
	}
}

// Compare reads the log and compares each record in it with the tables.
func (i *Keeper) Compare() error {
	s, ok := i.Store.(interface {
		CheckLog(ctx context.Context, f func(w journal.Write) error) error
	})
	if !ok {
		return nil
	}
	t := time.NewTicker(scrubPause)
	defer t.Stop()
	n := 0
	err := s.CheckLog(i.Ctx, func(w journal.Write) error {
		seq := journal.RecordIn(w)
		if seq == 0 || w.Value == nil {
			return nil
		}
		if err := i.sameRecord(seq, w); err != nil {
			return err
		}
		if n++; n%scrubBatch == 0 {
			select {
			case <-t.C:
			case <-i.Ctx.Done():
			}
		}
		return nil
	})
	if i.Ctx.Err() != nil {
		return context.Cause(i.Ctx)
	}
	if err == nil { // where that cannot be noted, an earlier time stands
		_ = i.J.Finish(i.Ctx, func(tx *journal.Tx) error {
			tx.Set(record.TableSetting.Key(record.SettingCompared), record.Number(uint64(i.Now().Unix())))
			return nil
		})
	}
	last := *i.Scrubbed.Load()
	last.Err, last.Done = err, err == nil
	return i.found(last)
}

// sameRecord returns an error if the tables and the log hold different records.
func (i *Keeper) sameRecord(seq uint64, w journal.Write) error {
	raw, err := i.Store.Get(w.Key)
	switch {
	case err != nil || bytes.Equal(raw, w.Value):
		return err
	case raw == nil:
		if _, err := i.J.Read(seq); errors.Is(err, journal.ErrRemoved) {
			return nil
		}
		return &journal.Damage{Seq: seq, Err: errors.New("the log has it, and the tables do not")}
	}
	return &journal.Damage{Seq: seq, Err: errors.New("the log and the tables have different ones")}
}

// Compared returns when the log and the tables were last compared in the background.
func (i *Keeper) Compared() time.Time {
	raw, err := i.J.Get(record.TableSetting.Key(record.SettingCompared))
	if err != nil || raw == nil {
		return time.Time{}
	}
	return time.Unix(int64(record.AsNumber(raw)), 0)
}

// ScrubSome checks a batch of records and returns the last of them.
func (i *Keeper) ScrubSome(from, end uint64) (last uint64, err error) {
	n := 0
	last = from
	err = i.J.Records(from, func(r journal.Record) error {
		if last, n = r.Seq, n+1; last >= end || n > scrubBatch {
			return errScrubbed
		}
		return nil
	})
	if errors.Is(err, errScrubbed) {
		err = nil
	} else if err == nil {
		last = max(last, end)
	}
	return last, err
}

var errScrubbed = errors.New("scrubbed")
