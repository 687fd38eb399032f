package wal

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Log is the first of the two places in which everything stands: frames,
// one a commit, synced before Pebble hears of them. It is used by one writer; what
// its base and forgotten segments are, another goroutine may change meanwhile.
type Log struct {
	disk *guard.Disk
	dir  string
	most int64 // bytes of a segment

	current
	buf   []byte
	slot  []byte
	bytes atomic.Int64 // of all segments
	base  atomic.Int64 // of the base
}

// New returns the log in dir, in which nothing is written before Begin. A
// segment has most bytes, 64 MiB if it is 0.
func New(disk *guard.Disk, dir string, most int64) *Log {
	if most == 0 {
		most = SegmentCap
	}
	return &Log{disk: disk, dir: dir, most: most}
}

// At is where the last frame stands.
func (l *Log) At() Place { return l.tail }

// Size is how many bytes all segments have.
func (l *Log) Size() int64 { return l.bytes.Load() }

// BaseSize is how many bytes the base has.
func (l *Log) BaseSize() int64 { return l.base.Load() }

// current is the segment that is written to.
type current struct {
	file   vfs.File
	seg    *Segment
	tail   Place
	turn   uint64
	filled int64 // the file has been written up to here, with zeros at least
	ahead  bool  // the head tells of a frame behind the tail, which is not whole
}

// Begin makes a segment that follows before, and makes it last. Where there is no
// room for it, the log is as it was.
func (l *Log) Begin(number uint64, before Mark) error {
	s := &Segment{Number: number, Path: SegmentPath(l.disk.FS, l.dir, number)}
	var file vfs.File
	if err := l.disk.Do("create", s.Path, func() (err error) {
		file, err = l.disk.FS.Create(s.Path, vfs.WriteCategoryUnspecified)
		return err
	}); err != nil {
		return guard.Full(err)
	}
	first := Slot{Before: before, Tail: before, End: FramesAt}
	s.slots[0] = &first
	was := l.current
	l.current = current{file: file, seg: s, filled: FramesAt, tail: Place{before, number, FramesAt}}
	err := l.write(append(first.append(nil), make([]byte, FramesAt-SlotSize)...), 0)
	if err == nil {
		err = l.sync()
	}
	if err == nil {
		err = guard.SyncDir(l.disk, l.dir)
	}
	if err != nil {
		l.current = was
		return l.undone(err, func() error {
			return errors.Join(file.Close(), l.remove(s.Path), guard.SyncDir(l.disk, l.dir))
		})
	}
	l.bytes.Add(FramesAt)
	if was.file != nil {
		return was.file.Close()
	}
	return nil
}

// undone turns an error for want of space into [journal.ErrFull], once undo has
// taken back what was begun; else nothing may be written any more.
func (l *Log) undone(err error, undo func() error) error {
	if f := guard.Full(err); errors.Is(f, journal.ErrFull) {
		if undid := undo(); undid != nil {
			return fmt.Errorf("%w, and then: %s", err, undid.Error()) // not ErrFull, whatever that was
		}
		return f
	}
	return err
}

// Append makes writes durable as one frame, and returns its place. After an error
// the log must not be used any more, unless it is [journal.ErrFull]: then nothing
// was written.
func (l *Log) Append(writes []journal.Write) (Place, error) {
	var m Mark
	l.buf, m = appendFrame(l.buf[:0], l.tail.Mark, writes)
	if len(l.buf)-FrameHead > maxFrame {
		return Place{}, fmt.Errorf("a commit of %d bytes; at most %d fit into the log", len(l.buf)-FrameHead, maxFrame)
	}
	if err := l.agree(); err != nil {
		return Place{}, err
	}
	if l.tail.End+int64(len(l.buf)) > l.most {
		if err := l.Rotate(); err != nil {
			return Place{}, err
		}
	}
	end := l.tail.End + int64(len(l.buf))
	if err := l.fill(end); err != nil {
		return Place{}, err
	}
	if err := l.put(Place{m, l.seg.Number, end}); err != nil {
		return Place{}, guard.Full(err)
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
func (l *Log) put(next Place) error {
	was := l.tail
	l.tail = next
	err := l.head(false)
	if err == nil {
		l.ahead = true
		err = l.write(l.buf, was.End)
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
func (l *Log) agree() error {
	if !l.ahead {
		return nil
	}
	if err := l.head(false); err != nil {
		return guard.Full(err)
	}
	if err := l.sync(); err != nil {
		return err
	}
	l.ahead = false
	return nil
}

// Rotate goes on in a new segment, unless this one is empty.
func (l *Log) Rotate() error {
	if l.tail.End == FramesAt {
		return nil
	}
	if err := l.agree(); err != nil {
		return err
	}
	return l.Begin(l.seg.Number+1, l.tail.Mark)
}

// zeros are what a segment is filled with. They are never written to, so that they
// take up no memory.
var zeros [growBy]byte

// fill has the file reach to end and beyond, so that its size does not change with
// each commit.
func (l *Log) fill(end int64) error {
	if end <= l.filled {
		return nil
	}
	upTo := max(min(end+growBy, l.most), end)
	for at := l.filled; at < upTo; at += int64(len(zeros)) {
		if err := l.write(zeros[:min(upTo-at, int64(len(zeros)))], at); err != nil {
			return guard.Full(err) // what there is of it does no harm
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
func (l *Log) head(closed bool) error {
	s := Slot{Turn: l.turn + 1, Before: l.seg.Newest().Before, Tail: l.tail.Mark, End: l.tail.End, Closed: closed}
	l.slot = s.append(l.slot[:0])
	if err := l.write(l.slot, int64(s.Turn%2)*SlotBlock); err != nil {
		return err
	}
	l.turn, l.seg.slots[s.Turn%2] = s.Turn, &s
	return nil
}

// erase makes sure that no frame stands behind the tail.
func (l *Log) erase() error {
	if l.tail.End+FrameHead > l.filled {
		return nil
	}
	return l.write(make([]byte, FrameHead), l.tail.End)
}

func (l *Log) write(b []byte, at int64) error {
	return l.disk.Do("write", l.seg.Path, func() error {
		n, err := l.file.WriteAt(b, at)
		return guard.Short(n, b, err)
	})
}

func (l *Log) sync() error { return l.disk.Do("sync", l.seg.Path, l.file.SyncData) }

// remove removes a file of the log.
func (l *Log) remove(path string) error {
	return l.disk.Do("remove", path, func() error { return l.disk.FS.Remove(path) })
}

// forget removes what a base stands for: segments that end where it does or before,
// and older bases. It returns the segments that stay.
func (l *Log) forget(all []*Segment, based []*Base) ([]*Segment, error) {
	b := based[len(based)-1]
	for _, old := range based[:len(based)-1] {
		if err := l.remove(old.Path); err != nil {
			return nil, err
		}
	}
	keep := 0 // the last one that begins where the base ends, or before
	for i, s := range all {
		if head := s.Newest(); head != nil && head.Before.Seq <= b.At.Seq {
			keep = i
		}
	}
	for _, s := range all[:keep] {
		if err := l.remove(s.Path); err != nil {
			return nil, err
		}
	}
	l.base.Store(b.Size)
	return all[keep:], guard.SyncDir(l.disk, l.dir)
}

// resume takes the last segment into use.
func (l *Log) resume(torn bool) error {
	l.turn, l.filled = l.seg.Newest().Turn, l.seg.Size
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

// Close says in the segment that nothing is unfinished.
func (l *Log) Close() error {
	err := l.head(true)
	if err == nil {
		err = l.sync()
	}
	return errors.Join(err, l.file.Close())
}
