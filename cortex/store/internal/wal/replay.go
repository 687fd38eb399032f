package wal

import (
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// replay reads the frames behind applied and returns the log's end.
func replay(fs vfs.FS, all []*Segment, applied Place, apply func([]byte, Place) error) (last Place, what Found,
	err error) {
	end := all[len(all)-1].Newest()
	if applied.Seq > end.Tail.Seq+1 {
		return last, what, &guard.Damage{File: all[len(all)-1].Path, Offset: end.End, Frame: end.Tail.Seq + 1,
			Text: fmt.Sprintf("the log ends with commit %d, and the tables have commit %d", end.Tail.Seq, applied.Seq)}
	}
	i := slices.IndexFunc(all, func(s *Segment) bool { return s.Newest().Before.Seq > applied.Seq })
	if i == 0 {
		return last, what, &guard.Damage{File: all[0].Path, Offset: FramesAt, Frame: applied.Seq + 1,
			Text: fmt.Sprintf("the log begins with commit %d, and the tables end with commit %d", all[0].Newest().Before.Seq+1,
				applied.Seq)}
	}
	if i < 0 {
		i = len(all)
	}
	last = all[i-1].Start()
	if last.Seq == applied.Seq && last.Hash != applied.Hash {
		return last, what, &guard.Damage{File: all[i-1].Path, Offset: FramesAt, Frame: applied.Seq,
			Text: "the tables have another commit of this number"}
	}
	if applied.Segment == all[i-1].Number && applied.End >= FramesAt && applied.Seq <= end.Tail.Seq {
		last = applied
	}
	for _, s := range all[i-1:] {
		if last.Segment != s.Number {
			if last.Mark != s.Newest().Before {
				return last, what, &guard.Damage{File: segmentOf(all, last.Segment).Path, Offset: last.End, Frame: last.Seq + 1,
					Text: "what stands there is not a whole commit"}
			}
			last = s.Start()
		}
		last, err = s.Scan(fs, last, func(payload []byte, at Place) error {
			if at.Seq == applied.Seq && at.Hash != applied.Hash {
				return &guard.Damage{File: s.Path, Offset: at.End, Frame: at.Seq,
					Text: "the tables have another commit of this number"}
			}
			if at.Seq <= applied.Seq {
				return nil
			}
			what.Replayed++
			what.Bytes += FrameHead + int64(len(payload))
			return apply(payload, at)
		})
		if err != nil {
			return last, what, err
		}
	}
	what.Torn, err = TornAt(all[len(all)-1], last, applied)
	if what.Torn > 0 {
		err = NotTorn(fs, all[len(all)-1], last)
	}
	return last, what, err
}

func segmentOf(all []*Segment, number uint64) *Segment {
	return all[slices.IndexFunc(all, func(s *Segment) bool { return s.Number == number })]
}

// NotTorn returns the damage where a whole commit stands behind the place at which the last
// one seems to have been cut off.
func NotTorn(fs vfs.FS, s *Segment, last Place) error {
	raw, err := Contents(fs, s)
	if err != nil {
		return err
	}
	behind := uint64(0)
	if err := EachFrame(context.Background(), raw, func(at int, frame []byte) {
		if int64(at) >= last.End {
			behind = SeqIn(frame)
		}
	}); err != nil || behind <= last.Seq+1 {
		return err
	}
	return &guard.Damage{File: s.Path, Offset: last.End, Frame: last.Seq + 1,
		Text: fmt.Sprintf("what stands there is not a whole commit, and commit %d stands behind it", behind)}
}

// TornAt judges where the whole frames end. One frame less than the head names
// may be one that was being written when the process or the power ended: the head
// and the frame are synced together, and either may come first.
func TornAt(s *Segment, last Place, applied Place) (torn uint64, err error) {
	head := s.Newest()
	switch {
	case last.Seq < applied.Seq && last.Seq >= head.Tail.Seq:
		return 0, &guard.Damage{File: s.Path, Offset: last.End, Frame: last.Seq + 1,
			Text: fmt.Sprintf("the log ends there, and the tables have commit %d", applied.Seq)}
	case last.Seq == head.Tail.Seq && last.Hash != head.Tail.Hash:
		return 0, &guard.Damage{File: s.Path, Offset: last.End, Frame: last.Seq,
			Text: "the head names another commit of this number"}
	case last.Seq >= head.Tail.Seq:
		return 0, nil
	case last.Seq+1 == head.Tail.Seq && !head.Closed && applied.Seq < head.Tail.Seq:
		return head.Tail.Seq, nil
	}
	return 0, &guard.Damage{File: s.Path, Offset: last.End, Frame: last.Seq + 1,
		Text: fmt.Sprintf("what stands there is not a whole commit, and the log goes on to commit %d", head.Tail.Seq)}
}
