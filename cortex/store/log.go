package store

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// segmentLog is the first of the two places in which everything stands: frames,
// one a commit, synced before Pebble hears of them. It is used by one writer; what
// its base and forgotten segments are, another goroutine may change meanwhile.
type segmentLog struct {
	disk *guarded
	dir  string
	most int64 // bytes of a segment

	current
	buf   []byte
	slot  []byte
	bytes atomic.Int64 // of all segments
	base  atomic.Int64 // of the base
}

// current is the segment that is written to.
type current struct {
	file   vfs.File
	seg    *segment
	tail   place
	turn   uint64
	filled int64 // the file has been written up to here, with zeros at least
	ahead  bool  // the head tells of a frame behind the tail, which is not whole
}

// begin makes a segment that follows before, and makes it last. Where there is no
// room for it, the log is as it was.
func (l *segmentLog) begin(number uint64, before mark) error {
	s := &segment{number: number, path: segmentPath(l.disk.FS, l.dir, number)}
	var file vfs.File
	if err := l.disk.do("create", s.path, func() (err error) {
		file, err = l.disk.FS.Create(s.path, vfs.WriteCategoryUnspecified)
		return err
	}); err != nil {
		return full(err)
	}
	first := slot{before: before, tail: before, end: framesAt}
	s.slots[0] = &first
	was := l.current
	l.current = current{file: file, seg: s, filled: framesAt, tail: place{before, number, framesAt}}
	err := l.write(append(first.append(nil), make([]byte, framesAt-slotSize)...), 0)
	if err == nil {
		err = l.sync()
	}
	if err == nil {
		err = syncDir(l.disk, l.dir)
	}
	if err != nil {
		l.current = was
		return l.undone(err, func() error {
			return errors.Join(file.Close(), l.remove(s.path), syncDir(l.disk, l.dir))
		})
	}
	l.bytes.Add(framesAt)
	if was.file != nil {
		return was.file.Close()
	}
	return nil
}

// undone turns an error for want of space into [journal.ErrFull], once undo has
// taken back what was begun; else nothing may be written any more.
func (l *segmentLog) undone(err error, undo func() error) error {
	if f := full(err); errors.Is(f, journal.ErrFull) {
		if undid := undo(); undid != nil {
			return fmt.Errorf("%w, and then: %s", err, undid.Error()) // not ErrFull, whatever that was
		}
		return f
	}
	return err
}

// full says that it was for want of space, or of descriptors, if it was.
func full(err error) error {
	if scarce(err) {
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	}
	return err
}

// append makes writes durable as one frame, and returns its place. After an error
// the log must not be used any more, unless it is [journal.ErrFull]: then nothing
// was written.
func (l *segmentLog) append(writes []journal.Write) (place, error) {
	var m mark
	l.buf, m = appendFrame(l.buf[:0], l.tail.mark, writes)
	if len(l.buf)-frameHead > maxFrame {
		return place{}, fmt.Errorf("a commit of %d bytes; at most %d fit into the log", len(l.buf)-frameHead, maxFrame)
	}
	if err := l.agree(); err != nil {
		return place{}, err
	}
	if l.tail.end+int64(len(l.buf)) > l.most {
		if err := l.rotate(); err != nil {
			return place{}, err
		}
	}
	end := l.tail.end + int64(len(l.buf))
	if err := l.fill(end); err != nil {
		return place{}, err
	}
	if err := l.put(place{m, l.seg.number, end}); err != nil {
		return place{}, full(err)
	}
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	return l.tail, l.sync()
}

// keepBuffer is the largest buffer that is kept for the next commit, in bytes.
const keepBuffer = 8 << 20

// put writes the frame in the buffer, which ends the log at next, and its head before
// it: a frame whose writing failed is no whole one, and need not be taken back, for
// which there may be no space where the file system copies on write.
func (l *segmentLog) put(next place) error {
	was := l.tail
	l.tail = next
	err := l.head(false)
	if err == nil {
		l.ahead = true
		err = l.write(l.buf, was.end)
	}
	if err != nil {
		l.tail = was
		return err
	}
	l.ahead = false
	return nil
}

// agree has the head tell of the tail again, if it tells of a frame that could not be
// written. Until then that is what a crash leaves; another frame of that number would
// not belong to the head.
func (l *segmentLog) agree() error {
	if !l.ahead {
		return nil
	}
	if err := l.head(false); err != nil {
		return full(err)
	}
	if err := l.sync(); err != nil {
		return err
	}
	l.ahead = false
	return nil
}

// rotate goes on in a new segment, unless this one is empty.
func (l *segmentLog) rotate() error {
	if l.tail.end == framesAt {
		return nil
	}
	if err := l.agree(); err != nil {
		return err
	}
	return l.begin(l.seg.number+1, l.tail.mark)
}

// zeros are what a segment is filled with. They are never written to, so that they
// take up no memory.
var zeros [growBy]byte

// fill has the file reach to end and beyond, so that its size does not change with
// each commit.
func (l *segmentLog) fill(end int64) error {
	if end <= l.filled {
		return nil
	}
	upTo := max(min(end+growBy, l.most), end)
	for at := l.filled; at < upTo; at += int64(len(zeros)) {
		if err := l.write(zeros[:min(upTo-at, int64(len(zeros)))], at); err != nil {
			return full(err) // what there is of it does no harm
		}
	}
	if err := l.sync(); err != nil {
		return err
	}
	l.bytes.Add(upTo - l.filled)
	l.filled = upTo
	return nil
}

// head writes the next slot.
func (l *segmentLog) head(closed bool) error {
	s := slot{turn: l.turn + 1, before: l.seg.newest().before, tail: l.tail.mark, end: l.tail.end, closed: closed}
	l.slot = s.append(l.slot[:0])
	if err := l.write(l.slot, int64(s.turn%2)*slotBlock); err != nil {
		return err
	}
	l.turn, l.seg.slots[s.turn%2] = s.turn, &s
	return nil
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

// remove removes a file of the log.
func (l *segmentLog) remove(path string) error {
	return l.disk.do("remove", path, func() error { return l.disk.FS.Remove(path) })
}

// forget removes what a base stands for: segments that end where it does or before,
// and older bases. It returns the segments that stay.
func (l *segmentLog) forget(all []*segment, based []*base) ([]*segment, error) {
	b := based[len(based)-1]
	for _, old := range based[:len(based)-1] {
		if err := l.remove(old.path); err != nil {
			return nil, err
		}
	}
	keep := 0 // the last one that begins where the base ends, or before
	for i, s := range all {
		if head := s.newest(); head != nil && head.before.seq <= b.at.seq {
			keep = i
		}
	}
	for _, s := range all[:keep] {
		if err := l.remove(s.path); err != nil {
			return nil, err
		}
	}
	l.base.Store(b.size)
	return all[keep:], syncDir(l.disk, l.dir)
}

// resume takes the last segment into use.
func (l *segmentLog) resume(torn bool) error {
	l.turn, l.filled = l.seg.newest().turn, l.seg.size
	if torn {
		if err := l.erase(); err != nil {
			return err
		}
	}
	if err := l.head(false); err != nil {
		return err
	}
	return l.sync()
}

// close says in the segment that nothing is unfinished.
func (l *segmentLog) close() error {
	err := l.head(true)
	if err == nil {
		err = l.sync()
	}
	return errors.Join(err, l.file.Close())
}
