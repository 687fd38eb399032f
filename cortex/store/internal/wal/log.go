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
	ahead  bool  // the head names a frame behind the tail, which is not whole
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
// it: a frame whose writing failed is not a whole one, and need not be taken back, for
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

// agree makes the head name the tail again, if it names a frame that could not be
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
