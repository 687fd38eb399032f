package store

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
	slotBlock  = 4096
	framesAt   = 2 * slotBlock
	slotMagic  = "CortexL1"
	slotSize   = len(slotMagic) + 8 + (8 + hashSize) + (8 + hashSize) + 8 + 1 + 4
	suffix     = ".seg"
	growBy     = 256 << 10
	segmentCap = 64 << 20
)

// slot says how far a segment goes.
type slot struct {
	turn   uint64 // the slot with the larger one is newer
	before mark   // of the segment's first frame
	tail   mark   // the last frame
	end    int64  // where that ends
	closed bool   // the store was closed after it: nothing can be unfinished
}

func (s slot) append(b []byte) []byte {
	start := len(b)
	b = append(b, slotMagic...)
	b = binary.LittleEndian.AppendUint64(b, s.turn)
	for _, m := range []mark{s.before, s.tail} {
		b = binary.LittleEndian.AppendUint64(b, m.seq)
		b = append(b, m.hash[:]...)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.end))
	closed := byte(0)
	if s.closed {
		closed = 1
	}
	b = append(b, closed)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// parseSlot reads a slot, and reports whether it is one.
func parseSlot(b []byte) (s slot, ok bool) {
	if len(b) < slotSize || string(b[:len(slotMagic)]) != slotMagic ||
		crc32.Checksum(b[:slotSize-4], castagnoli) != binary.LittleEndian.Uint32(b[slotSize-4:]) {
		return s, false
	}
	b = b[len(slotMagic):]
	number := func() uint64 { n := binary.LittleEndian.Uint64(b); b = b[8:]; return n }
	s.turn = number()
	for _, m := range []*mark{&s.before, &s.tail} {
		m.seq = number()
		b = b[copy(m.hash[:], b):]
	}
	s.end = int64(number())
	s.closed = b[0] == 1
	return s, true
}

// segment is a file of the log as it is found.
type segment struct {
	number uint64
	path   string
	size   int64
	slots  [2]*slot // nil: unreadable, or never written
}

// newest returns the slot that counts, or nil.
func (s *segment) newest() *slot {
	a, b := s.slots[0], s.slots[1]
	if a == nil || b != nil && b.turn > a.turn {
		return b
	}
	return a
}

// unmade reports whether a segment was being made when the process ended: its first
// head is on the disk before the file grows beyond its heads. A larger one without a
// head may hold commits.
func (s *segment) unmade() bool { return s.newest() == nil && s.size <= framesAt }

func segmentPath(fs vfs.FS, dir string, number uint64) string {
	return fs.PathJoin(dir, fmt.Sprintf("%08d%s", number, suffix))
}

// segments lists the files of a log in order.
func segments(fs vfs.FS, dir string) ([]*segment, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	var all []*segment
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimSuffix(name, suffix), 10, 64)
		if err != nil || !strings.HasSuffix(name, suffix) {
			continue
		}
		s := &segment{number: n, path: fs.PathJoin(dir, name)}
		if err := s.look(fs); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *segment) int { return int(a.number) - int(b.number) })
	return all, nil
}

// look reads the slots.
func (s *segment) look(fs vfs.FS) (err error) {
	f, err := fs.Open(s.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	for i := range s.slots {
		b := make([]byte, slotSize)
		if _, err := f.ReadAt(b, int64(i)*slotBlock); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if slot, ok := parseSlot(b); ok {
			s.slots[i] = &slot
		}
	}
	return nil
}

// place is where a frame stands: behind it the next one follows.
type place struct {
	mark
	segment uint64
	end     int64
}

func (p place) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.seq)
	b = append(b, p.hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, p.segment)
	return binary.LittleEndian.AppendUint64(b, uint64(p.end))
}

func parsePlace(b []byte) (p place, err error) {
	if len(b) != 8+hashSize+8+8 {
		return p, fmt.Errorf("%w: the place in the log that the tables have reached has %d bytes", ErrCorrupt, len(b))
	}
	p.seq = binary.LittleEndian.Uint64(b)
	b = b[8:]
	b = b[copy(p.hash[:], b):]
	p.segment, p.end = binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
	return p, nil
}

// scan calls f with the frames of a segment that follow from, and returns the
// place behind the last whole one.
func (s *segment) scan(fs vfs.FS, from place, f func(payload []byte, at place) error) (last place, err error) {
	file, err := fs.Open(s.path, vfs.SequentialReadsOption)
	if err != nil {
		return from, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := io.NewSectionReader(file, from.end, s.size-from.end)
	var buf []byte
	for last = from; ; {
		payload, m, err := readFrame(in, last.mark, s.size-last.end, &buf)
		if errors.Is(err, errNoFrame) {
			return last, nil
		}
		if err != nil {
			return last, err
		}
		last = place{m, s.number, last.end + frameHead + int64(len(payload))}
		if err := f(payload, last); err != nil {
			return last, err
		}
	}
}

// start is the place before the first frame.
func (s *segment) start() place { return place{s.newest().before, s.number, framesAt} }
