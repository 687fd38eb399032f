package wal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// errEnd says that a log was read as far as it went when reading began.
var errEnd = errors.New("the log's end")

// Check reads the log up to end, while it may be written to and compacted, and calls f
// with each write in it, in order.
func (l *Log) Check(end Place, f func(w journal.Write) error) error {
	disk := l.disk.FS
	all, err := Segments(disk, l.dir)
	if err != nil {
		return err
	}
	based, err := Bases(disk, l.dir)
	if err != nil {
		return err
	}
	if n := len(based); n > 0 {
		if err := based[n-1].Read(disk, f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var before Mark
	for i, seg := range all {
		if seg.Number > end.Segment {
			break
		}
		if seg.Newest() == nil {
			return &guard.Damage{File: seg.Path, Text: "neither of its heads can be read"}
		}
		if from := seg.Newest().Before; i > 0 && from != before {
			return &guard.Damage{File: seg.Path, Frame: from.Seq,
				Text: fmt.Sprintf("it follows on commit %d, and the segment before ends with commit %d", from.Seq, before.Seq)}
		}
		if before, err = seg.check(disk, end, f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if n := len(all); before != end.Mark && (n == 0 || all[n-1].Number < end.Segment) {
		return &guard.Damage{File: SegmentPath(disk, l.dir, end.Segment), Frame: end.Seq,
			Text: "the segment that is written to is gone"}
	}
	return nil
}

// check reads a segment from its beginning to its end, or that of the log, and returns its
// last frame.
func (s *Segment) check(disk vfs.FS, end Place, f func(w journal.Write) error) (Mark, error) {
	want := s.Newest().Tail
	if s.Number == end.Segment {
		want = end.Mark
	}
	if err := s.Cut(); err != nil {
		return want, err
	}
	last := s.Start()
	at, err := s.Scan(disk, last, func(payload []byte, at Place) error {
		if err := EachWrite(payload, f); err != nil {
			return err
		}
		if last = at; at.Seq >= want.Seq {
			return errEnd
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, errEnd):
		return want, err
	case last.Mark != want:
		return want, &guard.Damage{File: s.Path, Offset: at.End, Frame: at.Seq + 1,
			Text: fmt.Sprintf("what stands there is not a whole commit, and the segment goes on to commit %d", want.Seq)}
	}
	return want, nil
}

// Cut returns the damage of a segment that is smaller than its head says: each grows
// before its head names what stands there.
func (s *Segment) Cut() error {
	if head := s.Newest(); head.End > FramesAt && s.Size < head.End {
		return &guard.Damage{File: s.Path, Offset: s.Size,
			Text: fmt.Sprintf("it was cut: it ends there, and its head says %d bytes, up to commit %d", head.End,
				head.Tail.Seq)}
	}
	return nil
}
