package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// LossError is returned by [Repair] where something is whole in neither place, and
// the caller did not accept its loss.
type LossError struct{ Loss Loss }

// Error says how much would be lost.
func (e *LossError) Error() string {
	return fmt.Sprintf("%s stand whole in neither place, and nothing was changed; a backup may have them, else "+
		"--accept-loss goes on without them", e.Loss)
}

// ErrHopeless is returned by [Repair] where neither place has anything that is whole.
var ErrHopeless = errors.New("neither the log nor the tables have anything that is whole; only a backup helps")

// Repair makes both places whole again, and returns what it found before. Where
// nothing is wrong it changes nothing.
//
// A new pair of places is written from the one that is whole, in a folder of its
// own, is made durable and read back, and only then takes the place of the old one,
// all files of which are kept in a folder damaged-TIME beside it. So a repair
// needs twice the space of the store, and one that is cut off, at any moment, is
// either undone or done when the store is opened next.
//
// It never loses anything unless acceptLoss is set: where neither place has it
// all, the error is a [*LossError] that says what is missing. What is kept then is
// each record that is whole in either place, wherever the missing ones stood; a record
// of retention says which these are, so that the journal verifies.
func Repair(ctx context.Context, dir string, opt Options, acceptLoss bool) (Report, error) {
	x, err := examineLocked(ctx, dir, opt, true)
	if err != nil {
		return Report{}, fmt.Errorf("store: repair: %w", err)
	}
	// What the disk refuses parks who asked for it.
	err = x.disk.Death.Alive(func() error { return x.repair(ctx, acceptLoss) })
	x.disk.Settle()
	if err = errors.Join(err, x.unlock()); err != nil {
		return x.report, fmt.Errorf("store: repair: %w", err)
	}
	return x.report, nil
}

func (x *examination) repair(ctx context.Context, acceptLoss bool) error {
	switch {
	case x.unfinished:
		return folder.FinishRepair(x.disk, x.dir)
	case len(x.report.Faults) == 0:
		return x.close()
	case len(x.state) == 0 && x.report.Commits > 0:
		return errors.Join(ErrHopeless, x.close())
	case x.report.Loss.some() && !acceptLoss:
		return errors.Join(&LossError{x.report.Loss}, x.close())
	}
	err := x.build(ctx)
	if err = errors.Join(err, x.close()); err != nil {
		return err
	}
	if err := x.verify(ctx); err != nil {
		return err
	}
	if err := folder.Rename(x.disk, x.dir, folder.Building, folder.Built); err != nil {
		return err
	}
	return folder.FinishRepair(x.disk, x.dir)
}

// build writes the new pair.
func (x *examination) build(ctx context.Context) error {
	dir := x.disk.PathJoin(x.dir, folder.Building)
	// What a repair left that was cut off early is of no worth.
	if err := x.disk.Do("remove", dir, func() error { return x.disk.FS.RemoveAll(dir) }); err != nil {
		return err
	}
	if err := guard.MakeDir(x.disk, x.disk.PathJoin(dir, "log")); err != nil {
		return err
	}
	// Its name says where the old files go, also to anyone who ends a repair that was cut off.
	keep := folder.KeepPrefix + stamp(time.Now())
	if err := folder.Touch(x.disk, dir, keep); err != nil {
		return err
	}
	x.report.Kept = x.disk.PathJoin(x.dir, keep)
	own := guard.New(x.disk.System, guard.NewDeath(x.disk.Death.Log))
	err := own.Death.Alive(func() error { return x.fill(ctx, own, dir) })
	if x.parked = own.Death.Err() != nil; x.parked {
		own.Settle()
	}
	return err
}

// stamp is the time in the name of a folder that keeps damaged files.
func stamp(t time.Time) string { return t.UTC().Format("20060102T150405.000Z") }

// fill writes the tables first, and from them, because they are in order, the log:
// one base, and an empty segment behind it.
func (x *examination) fill(ctx context.Context, disk *guard.Disk, dir string) (err error) {
	var db *pebble.DB
	for range 2 { // as package store does, and for the same reason
		if db != nil {
			if err := db.Close(); err != nil {
				return err
			}
		}
		if db, err = pebble.Open(dir, tables.Options(disk)); err != nil {
			return err
		}
	}
	at := disk.PathJoin(dir, "log")
	l := wal.New(disk, at, 0)
	err = x.copyTo(ctx, db)
	none := x.reach.Seq == 0 // no commit: neither place says anything then
	if err == nil && !none {
		err = tables.Apply(db, wal.FirstPlace(x.reach), func(func(journal.Write) error) error { return nil })
	}
	if err == nil {
		err = db.Flush()
	}
	if err == nil && !none {
		err = wal.WriteBase(disk, at, x.reach,
			func(add func(w journal.Write) error) error { return tables.Each(db, until(ctx, add)) })
	}
	if err == nil {
		err = l.Begin(1, x.reach)
	}
	if err == nil {
		err = l.Close()
	}
	return errors.Join(err, db.Close())
}

// copyTo writes into db what the source has.
func (x *examination) copyTo(ctx context.Context, db *pebble.DB) error {
	c := &copier{db: db, batch: db.NewBatch()}
	var err error
	if x.salvage != nil {
		err = x.salvage.each(ctx, c.add)
	} else if x.source == inLog {
		_, _, _, err = x.log.walk(ctx, c.add, func(wal.Mark) error { return nil })
	} else if err = tables.Each(x.tables.db, until(ctx, c.add)); err == nil {
		_, err = x.log.follow(ctx, c.add)
	}
	return errors.Join(err, c.end())
}

// verify reads the new pair back, and compares it with what was to be written.
func (x *examination) verify(ctx context.Context) error {
	y, err := examine(ctx, x.disk.PathJoin(x.dir, folder.Building), x.disk)
	if err != nil {
		return err
	}
	if len(y.report.Faults) > 0 {
		err = fmt.Errorf("what was written anew is damaged, too: %s", y.report.Faults[0])
	} else if y.reach != x.reach || !maps.Equal(y.state, x.state) {
		err = errors.New("what was written anew is not what was read")
	}
	return errors.Join(err, y.close())
}

// copier writes into Pebble in batches of moderate size.
type copier struct {
	db    *pebble.DB
	batch *pebble.Batch
}

func (c *copier) add(w journal.Write) error {
	var err error
	if w.Value == nil {
		err = c.batch.Delete(w.Key, nil)
	} else {
		err = c.batch.Set(w.Key, w.Value, nil)
	}
	if err != nil || c.batch.Len() < wal.ChunkSize {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	c.batch = c.db.NewBatch()
	return nil
}

func (c *copier) end() error { return errors.Join(c.batch.Commit(pebble.NoSync), c.batch.Close()) }
