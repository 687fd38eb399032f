package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// finish judges the log's end.
func (l *logReading) finish() {
	s, t := l.segs[len(l.segs)-1], l.tables
	torn, err := wal.TornAt(s, l.last, t.applied)
	if torn > 0 {
		err = errors.Join(s.Cut(), wal.NotTorn(l.fs, s, l.last))
	}
	switch {
	case err != nil:
		f := asFault(err, Fault{File: s.Path})
		l.end = &f
	case t.applied.Seq > l.last.Seq:
		l.end = &Fault{File: s.Path, Offset: l.last.End, Commit: l.last.Seq + 1,
			Text: fmt.Sprintf("the log ends with commit %d, and the tables have commit %d", l.last.Seq, t.applied.Seq)}
	case s.Newest().Closed && t.fault == nil && t.applied.Seq < l.last.Seq:
		t.fault = &Fault{File: t.dir, Commit: t.applied.Seq + 1,
			Text: fmt.Sprintf("the tables end with commit %d, and had commit %d when the store was closed", t.applied.Seq,
				l.last.Seq)}
	default:
		l.torn = torn
	}
}

// follow is walk for the frames behind where the tables end, which are whole even if
// the log is broken before.
func (l *logReading) follow(ctx context.Context, put func(journal.Write) error) (wal.Place, error) {
	from := l.tables.applied
	i := slices.IndexFunc(l.segs, func(s *wal.Segment) bool { return s.Number == from.Segment })
	if i < 0 || from.End < wal.FramesAt {
		return from, nil
	}
	// Whatever breaks it off: that is as far as one comes.
	last, _, err := l.frames(ctx, i, from, wal.Mark{}, put, nil)
	return last, err
}

// putFollowing takes one write of those behind the tables' end into their state.
func (l *logReading) putFollowing(w journal.Write) error {
	l.tables.state.put(w)
	if seq, ok := journal.HeadIn(w); ok {
		l.headTables = seq
	}
	return nil
}

// search looks for whole frames anywhere behind the place where the log is broken,
// so that it can be said what is lost. The error is the context's.
func (l *logReading) search(ctx context.Context) error {
	from := max(l.last.Seq, l.beyond.Seq)
	l.saw(l.headTables, l.beyond.Seq)
	for _, s := range l.segs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.Newest().Turn > 0 && s.Newest().Tail.Seq < from {
			continue
		}
		raw, err := wal.Contents(l.fs, s)
		if err != nil {
			return nil // it cannot be said, then
		}
		if err := wal.EachFrame(ctx, raw, func(_ int, frame []byte) {
			seq := wal.SeqIn(frame)
			if seq > from {
				l.saw(newestIn(frame), seq)
				l.claim = max(l.claim, seq)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// newestIn is the newest record as of a frame, 0 if it has none.
func newestIn(frame []byte) (head uint64) {
	_ = wal.EachWrite(wal.PayloadOf(frame), func(w journal.Write) error {
		if seq, ok := journal.HeadIn(w); ok {
			head = seq
		}
		return nil
	})
	return head
}
