package fsck

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// salvage is what can be had of a store of which neither place is whole. Commits that
// are whole in the log count wherever they stand; so do the writes of a base, those
// that the tables still give back, and each record that is whole by its own hash
// within a commit that is not. Between two values of a key the newer one counts: the
// base's and the commits' up to where the tables end, then the tables', then those of
// the commits behind. What lies in a part of the tables that cannot be read is taken
// from the log, as far as that tells.
type salvage struct {
	x        *examination
	base     *wal.Base    // nil for none
	whole    bool         // the base is
	frames   []framePlace // ascending, one of each number
	parts    []*wreck     // of the tables, one a file
	newest   map[string]version
	all      bool     // all of the tables' files are known, and no others are there: what none of them has is not there
	complete bool     // no file of theirs that is known is missing
	at       wal.Mark // where the tables end, as far as that can be told
	step     int      // tries to read on behind one gap
	known    []string // all keys that the log names, in order
	state    state    // what was added so far
	kinds    map[uint64]string

	mending []journal.Write
}

// framePlace is where a whole frame stands.
type framePlace struct {
	wal.Mark
	seg  int
	at   int
	size int
	head uint64 // the newest record as of it; 0 where it has none
}

// version is the newest version of a key in the tables.
type version struct {
	number uint64
	part   int
	gone   bool
}

// newSalvage looks at everything once.
func newSalvage(ctx context.Context, x *examination) (*salvage, error) {
	s := &salvage{x: x, newest: map[string]version{}, kinds: map[uint64]string{}}
	for i := range x.log.segs {
		if err := s.index(ctx, i); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.frames, func(a, b framePlace) int { return int(int64(a.Seq) - int64(b.Seq)) })
	s.frames = slices.CompactFunc(s.frames, func(a, b framePlace) bool { return a.Seq == b.Seq })
	if err := s.findBase(); err != nil {
		return nil, err
	}
	s.at = x.tables.applied.Mark
	keys := state{}
	frames := func(put func(journal.Write) error) error { return s.fromFrames(s.frames, put) }
	for _, step := range []func(func(journal.Write) error) error{s.fragments, s.fromBase, frames} {
		if err := step(func(w journal.Write) error { keys[string(w.Key)] = [16]byte{}; return nil }); err != nil {
			return nil, err
		}
	}
	keys[string(tables.AppliedKey)], keys[string(journal.HeadKey())] = [16]byte{}, [16]byte{}
	s.known = slices.Sorted(maps.Keys(keys))
	if err := s.openTables(ctx); err != nil {
		return nil, err
	}
	s.place()
	return s, nil
}

// index finds the whole frames of a segment, and remembers of which kind the records
// are that stand in it, whole or not.
func (s *salvage) index(ctx context.Context, i int) error {
	raw, err := wal.Contents(s.x.log.fs, s.x.log.segs[i])
	if err != nil {
		return nil // nothing of it can be had, then
	}
	kindsIn(raw, s.kinds)
	return wal.EachFrame(ctx, raw, func(at int, frame []byte) {
		m := wal.MarkIn(frame)
		s.frames = append(s.frames, framePlace{Mark: m, seg: i, at: at, size: len(frame), head: newestIn(frame)})
	})
}

// place finds where the tables end: where they say, or where their newest record was
// written.
func (s *salvage) place() {
	record := uint64(0)
	for k, v := range s.newest {
		if !v.gone {
			record = max(record, journal.RecordIn(journal.Write{Key: []byte(k)}))
		}
	}
	for _, f := range s.frames {
		if f.head > 0 && f.head <= record && f.Seq > s.at.Seq {
			s.at = f.Mark
		}
	}
}

// each calls add with everything, in an order in which the last write of a key counts.
func (s *salvage) each(ctx context.Context, add func(journal.Write) error) error {
	s.state = state{}
	put := func(w journal.Write) error {
		if w.Value != nil && journal.RecordIn(w) > 0 && !journal.WholeRecord(w) {
			return nil
		}
		s.state.put(w)
		return errors.Join(add(w), context.Cause(ctx))
	}
	base, at := s.upToBase(), s.upTo(s.at.Seq)
	frames := func(from, to int) func() error {
		return func() error { return s.fromFrames(s.frames[from:max(from, to)], put) }
	}
	fragments := func() error { return s.fragments(put) } // first, so that anything else stands above it
	fromBase := func() error { return s.fromBase(put) }
	tables := func() error { return s.fromTables(ctx, put) }
	behind := frames(max(base, at), len(s.frames))
	steps := []func() error{fragments, frames(0, base), fromBase, frames(base, at), tables, behind}
	switch {
	case s.whole && base > at: // it says all that the tables do, and more
		steps = []func() error{fragments, fromBase, frames(base, len(s.frames))}
	case s.whole:
		steps[1] = func() error { return nil }
	case base > at:
		steps = []func() error{fragments, frames(0, at), tables, frames(at, base), fromBase, frames(base, len(s.frames))}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	for _, w := range s.mending {
		if err := put(w); err != nil {
			return err
		}
	}
	return nil
}
