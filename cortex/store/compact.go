package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
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
	err = s.alive(func() error { return s.rebase(ctx, at, v) })
	return wrap(err)
}

// divide has the log go on in a new segment, and returns the last frame before that
// and a view as of it.
func (s *store) divide() (at mark, v *view, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if v, err = s.pin(); err != nil {
		return at, nil, err
	}
	at = s.log.tail.mark
	if err := s.alive(s.log.rotate); err != nil {
		s.unpin(v)
		if !errors.Is(err, journal.ErrFull) {
			s.death.die(err)
		}
		return at, nil, err
	}
	return at, v, nil
}

// rebase writes the base as of a frame, and forgets what it stands for.
func (s *store) rebase(ctx context.Context, at mark, v *view) error {
	dir := s.log.dir
	if at.seq == 0 {
		return nil // there is nothing
	}
	// What a base stands for is in tables before the base is there: nothing else in
	// the log need be read to bring the tables up to its end.
	if err := s.flush(); err != nil {
		return err
	}
	if _, err := writeBase(s.disk, dir, at, func(add func(journal.Write) error) error {
		return s.each(ctx, v.snap, add)
	}); err != nil {
		return full(err)
	}
	all, err := segments(s.disk.FS, dir)
	if err != nil {
		return err
	}
	based, err := bases(s.disk.FS, dir)
	if err != nil {
		return err
	}
	was := sizes(all)
	left, err := s.log.forget(all, based)
	if err == nil {
		s.log.bytes.Add(sizes(left) - was)
	}
	return err
}

func sizes(all []*segment) (n int64) {
	for _, s := range all {
		n += s.size
	}
	return n
}

// each calls f with everything in a view but what is the store's own.
func (s *store) each(ctx context.Context, r pebble.Reader, f func(journal.Write) error) (err error) {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: []byte{ownTable + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok, n := it.First(), 0; ok; ok, n = it.Next(), n+1 {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.Err(); err != nil {
				return err
			}
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if value == nil {
			value = []byte{} // not a deletion
		}
		if err := f(journal.Write{Key: it.Key(), Value: value}); err != nil {
			return err
		}
	}
	return it.Error()
}

// wasteful reports whether the log is large, and more than half of it of no use.
func (s *store) wasteful() bool {
	log := s.log.bytes.Load()
	if log <= s.most {
		return false
	}
	var live int64
	err := s.alive(func() error {
		levels, err := s.db.SSTables(pebble.WithProperties())
		for _, level := range levels {
			for _, table := range level {
				live += int64(table.Properties.RawKeySize + table.Properties.RawValueSize)
			}
		}
		return err
	})
	if err != nil {
		s.death.log.Warn("how much of the log lives is not known", "cause", fmt.Errorf("store: %w", err))
		return false
	}
	return log+s.log.base.Load() > 2*live
}
