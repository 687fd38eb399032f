package store

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// segmentLog is the first of the two places in which everything stands: frames,
// one a commit, synced before Pebble hears of them. It is used by one writer.
type segmentLog struct {
	disk *guarded
	dir  string
	most int64 // bytes of a segment

	file   vfs.File
	seg    *segment
	tail   place
	turn   uint64
	filled int64 // the file has been written up to here, with zeros at least
	buf    []byte
	bytes  atomic.Int64 // of all segments
}

// found is what opening a log came upon.
type found struct {
	replayed int    // frames that Pebble did not have
	torn     uint64 // a frame that was cut off: it was never acknowledged, or its end is damaged; 0 for none
}

// openLog opens the log in dir, or begins one. applied is the last frame that
// Pebble has; apply is called with each that follows.
func openLog(disk *guarded, dir string, most int64, applied place, apply func(payload []byte, at place) error) (*segmentLog, found, error) {
	if most == 0 {
		most = segmentCap
	}
	l := &segmentLog{disk: disk, dir: dir, most: most}
	var what found
	if err := makeDir(disk, dir); err != nil {
		return nil, what, err
	}
	all, err := segments(disk.FS, dir)
	if err != nil {
		return nil, what, err
	}
	// A segment without a slot was being made when the process ended.
	if n := len(all); n > 0 && all[n-1].newest() == nil && (n > 1 || applied.seq == 0) {
		if err := disk.do("remove", all[n-1].path, func() error { return disk.FS.Remove(all[n-1].path) }); err != nil {
			return nil, what, err
		}
		all = all[:n-1]
	}
	if len(all) == 0 {
		if applied.seq > 0 {
			return nil, what, &Damage{File: dir, Frame: applied.seq, Text: "the log is gone"}
		}
		return l, what, l.begin(1, mark{})
	}
	if err := connected(all); err != nil {
		return nil, what, err
	}
	for _, s := range all {
		l.bytes.Add(s.size)
	}
	l.seg = all[len(all)-1]
	l.tail, what, err = replay(disk.FS, all, applied, apply)
	if err != nil {
		return nil, what, err
	}
	return l, what, l.resume(what.torn > 0)
}

// connected checks that segments follow one another.
func connected(all []*segment) error {
	for i, s := range all {
		if s.newest() == nil {
			return &Damage{File: s.path, Text: "neither of its heads can be read"}
		}
		if i == 0 {
			continue
		}
		was := all[i-1]
		// One that lost its newer head tells of the frame before the last.
		if n := was.newest().tail; n != s.newest().before && n.seq+1 != s.newest().before.seq {
			return &Damage{File: was.path, Offset: was.newest().end, Frame: n.seq + 1, Text: fmt.Sprintf("it ends with commit %d, and the next segment follows on commit %d", n.seq, s.newest().before.seq)}
		}
	}
	return nil
}

// replay reads the frames behind applied and returns the log's end.
func replay(fs vfs.FS, all []*segment, applied place, apply func([]byte, place) error) (last place, what found, err error) {
	end := all[len(all)-1].newest()
	if applied.seq > end.tail.seq+1 {
		return last, what, &Damage{File: all[len(all)-1].path, Offset: end.end, Frame: end.tail.seq + 1, Text: fmt.Sprintf("the log ends with commit %d, and the tables have commit %d", end.tail.seq, applied.seq)}
	}
	i := slices.IndexFunc(all, func(s *segment) bool { return s.newest().before.seq > applied.seq })
	if i == 0 {
		return last, what, &Damage{File: all[0].path, Offset: framesAt, Frame: applied.seq + 1, Text: fmt.Sprintf("the log begins with commit %d, and the tables end with commit %d", all[0].newest().before.seq+1, applied.seq)}
	}
	if i < 0 {
		i = len(all)
	}
	last = all[i-1].start()
	if applied.segment == all[i-1].number && applied.end >= framesAt {
		last = applied
	}
	for _, s := range all[i-1:] {
		if last.segment != s.number {
			if last.mark != s.newest().before {
				return last, what, &Damage{File: segmentOf(all, last.segment).path, Offset: last.end, Frame: last.seq + 1, Text: "what stands there is no whole commit"}
			}
			last = s.start()
		}
		last, err = s.scan(fs, last, func(payload []byte, at place) error {
			if at.seq == applied.seq && at.hash != applied.hash {
				return &Damage{File: s.path, Offset: at.end, Frame: at.seq, Text: "the tables have another commit of this number"}
			}
			if at.seq <= applied.seq {
				return nil
			}
			what.replayed++
			return apply(payload, at)
		})
		if err != nil {
			return last, what, err
		}
	}
	what.torn, err = tornAt(all[len(all)-1], last, applied)
	return last, what, err
}

func segmentOf(all []*segment, number uint64) *segment {
	return all[slices.IndexFunc(all, func(s *segment) bool { return s.number == number })]
}

// tornAt judges where the whole frames end. One frame less than the head tells of
// may be one that was being written when the process or the power ended: the head
// and the frame are synced together, and either may come first.
func tornAt(s *segment, last place, applied place) (torn uint64, err error) {
	head := s.newest()
	switch {
	case last.seq == head.tail.seq && last.hash != head.tail.hash:
		return 0, &Damage{File: s.path, Offset: last.end, Frame: last.seq, Text: "the head tells of another commit of this number"}
	case last.seq >= head.tail.seq:
		return 0, nil
	case last.seq+1 == head.tail.seq && !head.closed && applied.seq < head.tail.seq:
		return head.tail.seq, nil
	}
	return 0, &Damage{File: s.path, Offset: last.end, Frame: last.seq + 1, Text: fmt.Sprintf("what stands there is no whole commit, and the log goes on to commit %d", head.tail.seq)}
}

// resume takes the last segment into use. What was found in it need not have been
// synced by the process that wrote it; Pebble must not be ahead of it.
func (l *segmentLog) resume(torn bool) error {
	l.turn, l.filled = l.seg.newest().turn, l.seg.size
	err := l.disk.do("create", l.seg.path, func() (err error) {
		l.file, err = l.disk.FS.OpenReadWrite(l.seg.path, vfs.WriteCategoryUnspecified)
		return err
	})
	if err == nil && torn {
		err = l.erase()
	}
	if err == nil {
		err = l.head(false)
	}
	if err == nil {
		err = l.sync()
	}
	return err
}

// begin makes a segment that follows before, and makes it last.
func (l *segmentLog) begin(number uint64, before mark) error {
	s := &segment{number: number, path: segmentPath(l.disk.FS, l.dir, number)}
	var file vfs.File
	if err := l.disk.do("create", s.path, func() (err error) {
		file, err = l.disk.FS.Create(s.path, vfs.WriteCategoryUnspecified)
		return err
	}); err != nil {
		return err
	}
	was := l.file
	l.file, l.seg, l.turn, l.filled = file, s, 0, framesAt
	l.tail = place{before, number, framesAt}
	first := slot{before: before, tail: before, end: framesAt}
	s.slots[0] = &first
	err := l.write(append(first.append(nil), make([]byte, framesAt-slotSize)...), 0)
	if err == nil {
		err = l.sync()
	}
	if err == nil {
		err = l.syncDir()
	}
	if was != nil {
		err = errors.Join(err, was.Close())
	}
	return err
}

func (l *segmentLog) syncDir() error {
	return l.disk.do("sync", l.dir, func() error {
		d, err := l.disk.FS.OpenDir(l.dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}

// append makes writes durable as one frame, and returns its place. After an error
// the log must not be used any more, unless the error is an [errNoRoom]: then it is
// as before.
func (l *segmentLog) append(writes []journal.Write) (place, error) {
	var m mark
	l.buf, m = appendFrame(l.buf[:0], l.tail.mark, writes)
	if l.tail.end+int64(len(l.buf)) > l.most && l.tail.end > framesAt {
		if err := l.begin(l.seg.number+1, l.tail.mark); err != nil {
			return place{}, err
		}
	}
	end := l.tail.end + int64(len(l.buf))
	if err := l.fill(end); err != nil {
		return place{}, err
	}
	if err := l.write(l.buf, l.tail.end); err != nil {
		return place{}, err
	}
	was := l.tail
	l.tail = place{m, l.seg.number, end}
	err := l.head(false)
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		l.tail = was
	}
	return l.tail, err
}

// fill has the file reach to end and beyond, so that its size does not change with
// each commit.
func (l *segmentLog) fill(end int64) error {
	if end <= l.filled {
		return nil
	}
	upTo := max(min(end+growBy, l.most), end)
	if err := l.write(make([]byte, upTo-l.filled), l.filled); err != nil {
		return err
	}
	l.bytes.Add(upTo - l.filled)
	l.filled = upTo
	return l.sync()
}

// head writes the next slot.
func (l *segmentLog) head(closed bool) error {
	l.turn++
	s := slot{turn: l.turn, before: l.seg.newest().before, tail: l.tail.mark, end: l.tail.end, closed: closed}
	l.seg.slots[l.turn%2] = &s
	return l.write(s.append(nil), int64(l.turn%2)*slotBlock)
}

// erase makes sure that no frame stands behind the tail.
func (l *segmentLog) erase() error {
	if l.tail.end+frameHead > l.filled {
		return nil
	}
	return l.write(make([]byte, frameHead), l.tail.end)
}

func (l *segmentLog) write(b []byte, at int64) error {
	return l.disk.do("write", l.seg.path, func() error {
		n, err := l.file.WriteAt(b, at)
		return short(n, b, err)
	})
}

func (l *segmentLog) sync() error { return l.disk.do("sync", l.seg.path, l.file.SyncData) }

// close says in the segment that nothing is unfinished.
func (l *segmentLog) close() error {
	err := l.head(true)
	if err == nil {
		err = l.sync()
	}
	return errors.Join(err, l.file.Close())
}
