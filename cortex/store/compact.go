package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// Compact takes out of the log what was deleted or written over: it writes a base,
// which is what lives as of now, and removes the segments that end before it. Reads
// and commits go on; a commit waits at most while the log begins a new segment. It
// needs as much space as what lives takes. The store does it by itself when half of
// a large log is of no use any more, see [Options].
//
// An error other than the store's death or closing leaves everything as it was.
func (s *store) Compact(ctx context.Context) error {
	if s.memory {
		return nil
	}
	s.compacting.Lock()
	defer s.compacting.Unlock()
	at, v, err := s.divide()
	if err != nil {
		return wrap(err)
	}
	defer s.unpin(v) // Close waits until then
	err = s.death.Alive(func() error { return s.rebase(ctx, at, v) })
	return wrap(err)
}

// reclaimFrom is how large a log must be to be worth it, in bytes.
const reclaimFrom = 4 << 20

// Reclaim gives the disk back what was deleted between lo (inclusive) and hi (exclusive):
// the tables are written anew there, and the log as [store.Compact] does, where more
// than half of it is of no use any more and there is space to write what lives. Left
// alone, the tables take their time, and the log is looked at only when it has grown. Its
// errors are those of Compact.
func (s *store) Reclaim(ctx context.Context, lo, hi []byte) error {
	if s.memory {
		return nil
	}
	v, err := s.pin()
	if err != nil {
		return wrap(err)
	}
	defer s.unpin(v) // Close waits until then
	if err := s.Flush(); err != nil {
		return wrap(err)
	}
	if err := s.death.Alive(func() error { return s.db.Compact(ctx, lo, hi, false) }); err != nil {
		return wrap(guard.Full(err))
	}
	live, ok := s.wasteful(min(s.most, reclaimFrom))
	if !ok {
		return nil
	}
	if err := s.disk.Space.Spare(live); err != nil {
		return wrap(err)
	}
	return s.Compact(ctx)
}

// divide has the log go on in a new segment, and returns the last frame before that
// and a view as of it.
func (s *store) divide() (at wal.Mark, v *view, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if v, err = s.pin(); err != nil {
		return at, nil, err
	}
	at = s.log.At().Mark
	if err := s.death.Alive(s.log.Rotate); err != nil {
		s.unpin(v)
		if !errors.Is(err, journal.ErrFull) {
			s.death.Die(err)
		}
		return at, nil, err
	}
	return at, v, nil
}

// rebase writes the base as of a frame, and forgets what it stands for.
func (s *store) rebase(ctx context.Context, at wal.Mark, v *view) error {
	if at.Seq == 0 {
		return nil // there is nothing
	}
	// What a base stands for is in tables before the base is there: nothing else in
	// the log need be read to bring the tables up to its end.
	if err := s.Flush(); err != nil {
		return err
	}
	return s.log.Rebase(at, func(add func(journal.Write) error) error { return s.each(ctx, v.snap, add) })
}

// each calls f with everything in a view but what is the store's own.
func (s *store) each(ctx context.Context, r pebble.Reader, f func(journal.Write) error) error {
	n := 0
	return tables.Each(r, func(w journal.Write) error {
		if n++; n%256 == 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.Err(); err != nil {
				return err
			}
		}
		return f(w)
	})
}

// wasteful reports whether the log has more than so many bytes, and more than half of
// them are of no use; and how many bytes live.
func (s *store) wasteful(least int64) (live int64, yes bool) {
	log := s.log.Size()
	if log <= least {
		return 0, false
	}
	err := s.death.Alive(func() error {
		levels, err := s.db.SSTables(pebble.WithProperties())
		for _, level := range levels {
			for _, table := range level {
				live += int64(table.Properties.RawKeySize + table.Properties.RawValueSize)
			}
		}
		return err
	})
	if err != nil {
		s.death.Log.Warn("how much of the log lives is not known", "cause", fmt.Errorf("store: %w", err))
		return 0, false
	}
	return live, log+s.log.BaseSize() > 2*live
}
