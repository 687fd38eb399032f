package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// errEnd says that a log was read as far as it went when reading began.
var errEnd = errors.New("the log's end")

// CheckLog reads all of the log, as far as it goes now, while commits go on, and calls f
// with each write in it, in order; it returns what f returns, or a [*Damage]. What a
// compaction takes away meanwhile is passed over. Where f waits, it waits too.
func (s *store) CheckLog(ctx context.Context, f func(w journal.Write) error) error {
	if s.memory {
		return nil
	}
	v, err := s.pin() // Close waits until then
	if err != nil {
		return wrap(err)
	}
	defer s.unpin(v)
	s.writing.Lock()
	end := s.log.tail
	s.writing.Unlock()
	return wrap(s.checkLog(ctx, end, f))
}

func (s *store) checkLog(ctx context.Context, end place, f func(w journal.Write) error) error {
	disk := s.disk.FS
	all, err := segments(disk, s.log.dir)
	if err != nil {
		return err
	}
	based, err := bases(disk, s.log.dir)
	if err != nil {
		return err
	}
	each := func(w journal.Write) error { return errors.Join(s.Err(), context.Cause(ctx), f(w)) }
	if n := len(based); n > 0 {
		if err := based[n-1].read(disk, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var before mark
	for i, seg := range all {
		if seg.number > end.segment {
			break
		}
		if seg.newest() == nil {
			return &Damage{File: seg.path, Text: "neither of its heads can be read"}
		}
		if from := seg.newest().before; i > 0 && from != before {
			return &Damage{File: seg.path, Frame: from.seq,
				Text: fmt.Sprintf("it follows on commit %d, and the segment before ends with commit %d", from.seq, before.seq)}
		}
		if before, err = seg.check(disk, end, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if n := len(all); before != end.mark && (n == 0 || all[n-1].number < end.segment) {
		return &Damage{File: segmentPath(disk, s.log.dir, end.segment), Frame: end.seq,
			Text: "the segment that is written to is gone"}
	}
	return nil
}

// check reads a segment from its beginning to its end, or that of the log, and returns its
// last frame.
func (s *segment) check(disk vfs.FS, end place, f func(w journal.Write) error) (mark, error) {
	want := s.newest().tail
	if s.number == end.segment {
		want = end.mark
	}
	if err := s.cut(); err != nil {
		return want, err
	}
	last := s.start()
	at, err := s.scan(disk, last, func(payload []byte, at place) error {
		if err := eachWrite(payload, f); err != nil {
			return err
		}
		if last = at; at.seq >= want.seq {
			return errEnd
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errEnd):
		return want, err
	case last.mark != want:
		return want, &Damage{File: s.path, Offset: at.end, Frame: at.seq + 1,
			Text: fmt.Sprintf("what stands there is no whole commit, and the segment goes on to commit %d", want.seq)}
	}
	return want, nil
}

// cut returns the damage of a segment that is smaller than its head says: each grows
// before its head tells of what stands there.
func (s *segment) cut() error {
	if head := s.newest(); head.end > framesAt && s.size < head.end {
		return &Damage{File: s.path, Offset: s.size,
			Text: fmt.Sprintf("it was cut: it ends there, and its head tells of %d bytes, up to commit %d", head.end,
				head.tail.seq)}
	}
	return nil
}
