package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A segment is one file of the log. Its first two blocks hold a slot each, which
// are written in turn, with each commit, and in the same sync: the newer one says
// how far the segment goes, so that one that is cut off is found out. Frames stand
// back to back behind them; what is behind the last is zeros, written in advance,
// because a sync is a third quicker where a file does not grow.
const (
	SlotBlock  = 4096
	FramesAt   = 2 * SlotBlock
	slotMagic  = "CortexL1"
	SlotSize   = len(slotMagic) + 8 + (8 + hashSize) + (8 + hashSize) + 8 + 1 + 4
	Suffix     = ".seg"
	growBy     = 256 << 10
	SegmentCap = 64 << 20
)

// Slot says how far a segment goes.
type Slot struct {
	Turn   uint64 // the slot with the larger one is newer
	Before Mark   // of the segment's first frame
	Tail   Mark   // the last frame
	End    int64  // where that ends
	Closed bool   // the store was closed after it: nothing can be unfinished
}

func (s Slot) append(b []byte) []byte {
	start := len(b)
	b = append(b, slotMagic...)
	b = binary.LittleEndian.AppendUint64(b, s.Turn)
	for _, m := range []Mark{s.Before, s.Tail} {
		b = binary.LittleEndian.AppendUint64(b, m.Seq)
		b = append(b, m.Hash[:]...)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.End))
	closed := byte(0)
	if s.Closed {
		closed = 1
	}
	b = append(b, closed)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// ParseSlot reads a slot, and reports whether it is one.
func ParseSlot(b []byte) (s Slot, ok bool) {
	if len(b) < SlotSize || string(b[:len(slotMagic)]) != slotMagic ||
		crc32.Checksum(b[:SlotSize-4], castagnoli) != binary.LittleEndian.Uint32(b[SlotSize-4:]) {
		return s, false
	}
	b = b[len(slotMagic):]
	number := func() uint64 { n := binary.LittleEndian.Uint64(b); b = b[8:]; return n }
	s.Turn = number()
	for _, m := range []*Mark{&s.Before, &s.Tail} {
		m.Seq = number()
		b = b[copy(m.Hash[:], b):]
	}
	s.End = int64(number())
	s.Closed = b[0] == 1
	return s, true
}

// Segment is a file of the log as it is found.
type Segment struct {
	Number uint64
	Path   string
	Size   int64
	slots  [2]*Slot // nil: unreadable, or never written
}

// Newest returns the slot that counts, or nil.
func (s *Segment) Newest() *Slot {
	a, b := s.slots[0], s.slots[1]
	if a == nil || b != nil && b.Turn > a.Turn {
		return b
	}
	return a
}

// Assume takes a segment both of whose heads are lost to follow on a frame, and to be empty.
func (s *Segment) Assume(before Mark) {
	s.slots[0] = &Slot{Before: before, Tail: before, End: FramesAt}
}

// Unmade reports whether a segment was being made when the process ended: its first
// head is on the disk before the file grows beyond its heads. A larger one without a
// head may hold commits.
func (s *Segment) Unmade() bool { return s.Newest() == nil && s.Size <= FramesAt }

// SegmentPath is the path of a segment.
func SegmentPath(fs vfs.FS, dir string, number uint64) string {
	return fs.PathJoin(dir, fmt.Sprintf("%08d%s", number, Suffix))
}

// Segments lists the files of a log in order.
func Segments(fs vfs.FS, dir string) ([]*Segment, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	var all []*Segment
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimSuffix(name, Suffix), 10, 64)
		if err != nil || !strings.HasSuffix(name, Suffix) {
			continue
		}
		s := &Segment{Number: n, Path: fs.PathJoin(dir, name)}
		if err := s.look(fs); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Segment) int { return int(a.Number) - int(b.Number) })
	return all, nil
}

// look reads the slots.
func (s *Segment) look(fs vfs.FS) (err error) {
	f, err := fs.Open(s.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s.Size = info.Size()
	for i := range s.slots {
		b := make([]byte, SlotSize)
		if _, err := f.ReadAt(b, int64(i)*SlotBlock); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if slot, ok := ParseSlot(b); ok {
			s.slots[i] = &slot
		}
	}
	return nil
}

// Scan calls f with the frames of a segment that follow from, and returns the
// place behind the last whole one.
func (s *Segment) Scan(fs vfs.FS, from Place, f func(payload []byte, at Place) error) (last Place, err error) {
	file, err := fs.Open(s.Path, vfs.SequentialReadsOption)
	if err != nil {
		return from, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := io.NewSectionReader(file, from.End, s.Size-from.End)
	var buf []byte
	for last = from; ; {
		payload, m, err := readFrame(in, last.Mark, s.Size-last.End, &buf)
		if errors.Is(err, errNoFrame) {
			return last, nil
		}
		if err != nil {
			return last, err
		}
		last = Place{m, s.Number, last.End + FrameHead + int64(len(payload))}
		if err := f(payload, last); err != nil {
			return last, err
		}
	}
}

// Start is the place before the first frame.
func (s *Segment) Start() Place { return Place{s.Newest().Before, s.Number, FramesAt} }
