package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// LossError is returned by [Repair] where something is whole in neither place, and
// nobody said that it may be lost.
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
	err = (&store{death: x.disk.death}).alive(func() error { return x.repair(ctx, acceptLoss) })
	x.disk.settle()
	if err = errors.Join(err, x.unlock()); err != nil {
		return x.report, fmt.Errorf("store: repair: %w", err)
	}
	return x.report, nil
}

func (x *examination) repair(ctx context.Context, acceptLoss bool) error {
	switch {
	case x.unfinished:
		return finishRepair(x.disk, x.dir)
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
	if err := x.disk.renamed(x.dir, building, built); err != nil {
		return err
	}
	return finishRepair(x.disk, x.dir)
}

// build writes the new pair.
func (x *examination) build(ctx context.Context) error {
	dir := x.disk.PathJoin(x.dir, building)
	// What a repair left that was cut off early is of no worth.
	if err := x.disk.do("remove", dir, func() error { return x.disk.FS.RemoveAll(dir) }); err != nil {
		return err
	}
	if err := makeDir(x.disk, x.disk.PathJoin(dir, "log")); err != nil {
		return err
	}
	// Its name says where the old files go, also to anyone who ends a repair that was cut off.
	keep := keepPrefix + stamp(time.Now())
	if err := x.disk.touch(dir, keep); err != nil {
		return err
	}
	x.report.Kept = x.disk.PathJoin(x.dir, keep)
	s := &store{death: newDeath(x.disk.death.log)}
	s.disk = &guarded{FS: x.disk.FS, death: s.death, before: x.disk.before}
	err := s.alive(func() error { return x.fill(ctx, s, dir) })
	if x.parked = s.death.Err() != nil; x.parked {
		s.disk.settle()
	}
	return err
}

// fill writes the tables first, and from them, because they are in order, the log:
// one base, and an empty segment behind it.
func (x *examination) fill(ctx context.Context, s *store, dir string) (err error) {
	for range 2 { // as start does, and for the same reason
		if s.db != nil {
			if err := s.db.Close(); err != nil {
				return err
			}
		}
		if s.db, err = pebble.Open(dir, s.options()); err != nil {
			return err
		}
	}
	l := &segmentLog{disk: s.disk, dir: s.disk.PathJoin(dir, "log"), most: segmentCap}
	err = x.copyTo(ctx, s)
	none := x.reach.seq == 0 // no commit: neither place says anything then
	if err == nil && !none {
		err = s.apply(place{x.reach, 1, framesAt}, func(func(journal.Write) error) error { return nil })
	}
	if err == nil {
		err = s.db.Flush()
	}
	if err == nil && !none {
		_, err = writeBase(s.disk, l.dir, x.reach,
			func(add func(w journal.Write) error) error { return eachKey(ctx, s.db, add) })
	}
	if err == nil {
		err = l.begin(1, x.reach)
	}
	if err == nil {
		err = l.close()
	}
	return errors.Join(err, s.db.Close())
}

// copyTo writes into s what the source has.
func (x *examination) copyTo(ctx context.Context, s *store) error {
	c := &copier{db: s.db, batch: s.db.NewBatch()}
	var err error
	if x.salvage != nil {
		err = x.salvage.each(ctx, c.add)
	} else if x.source == inLog {
		_, _, _, err = x.log.walk(ctx, c.add, func(mark) error { return nil })
	} else if err = eachKey(ctx, x.tables.store.db, c.add); err == nil {
		_, err = x.log.follow(ctx, c.add)
	}
	return errors.Join(err, c.end())
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
	if err != nil || c.batch.Len() < chunkSize {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	c.batch = c.db.NewBatch()
	return nil
}

func (c *copier) end() error { return errors.Join(c.batch.Commit(pebble.NoSync), c.batch.Close()) }

// verify reads the new pair back, and compares it with what was to be written.
func (x *examination) verify(ctx context.Context) error {
	y, err := examine(ctx, x.disk.PathJoin(x.dir, building), x.disk)
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

// renamed renames a folder within dir, for good.
func (g *guarded) renamed(dir, from, to string) error {
	err := g.do("rename", g.PathJoin(dir, to), func() error {
		return g.FS.Rename(g.PathJoin(dir, from), g.PathJoin(dir, to))
	})
	if err != nil {
		return err
	}
	return syncDir(g, dir)
}
