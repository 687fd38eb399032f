package wal

import (
	"encoding/binary"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Place is where a frame stands: behind it the next one follows.
type Place struct {
	Mark
	Segment uint64
	End     int64
}

// FirstPlace is where a log begins that follows on a frame.
func FirstPlace(before Mark) Place { return Place{before, 1, FramesAt} }

// Append appends a place as ParsePlace reads it.
func (p Place) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.Seq)
	b = append(b, p.Hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, p.Segment)
	return binary.LittleEndian.AppendUint64(b, uint64(p.End))
}

// ParsePlace reads what Append wrote.
func ParsePlace(b []byte) (p Place, err error) {
	if len(b) != 8+hashSize+8+8 {
		return p, fmt.Errorf("%w: the place in the log that the tables have reached has %d bytes", guard.ErrCorrupt, len(b))
	}
	p.Seq = binary.LittleEndian.Uint64(b)
	b = b[8:]
	b = b[copy(p.Hash[:], b):]
	p.Segment, p.End = binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
	return p, nil
}
