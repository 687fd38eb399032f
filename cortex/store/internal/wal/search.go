package wal

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// EachFrame calls f with each whole frame that stands anywhere in the bytes of a segment,
// and where. The error is the context's.
func EachFrame(ctx context.Context, raw []byte, f func(at int, frame []byte)) error {
	for at := FramesAt; at+FrameHead <= len(raw); at++ {
		if at%searchStep == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n := frameAt(raw[at:]); n > 0 {
			f(at, raw[at:at+n])
			at += n - 1
		}
	}
	return nil
}

// frameAt is the size of the whole frame that b begins with, 0 if there is none.
func frameAt(b []byte) int {
	n, seq := int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint64(b[4:])
	if seq == 0 || seq > maxCommit || n > maxFrame || n > int64(len(b)-FrameHead) {
		return 0
	}
	frame := b[:FrameHead+n]
	if frameSum(frame) != binary.LittleEndian.Uint32(frame[FrameHead-4:]) {
		return 0
	}
	return len(frame)
}

// maxCommit is beyond any number that a commit will ever have.
const maxCommit = 1 << 48

// searchStep is how many bytes are looked at between two looks at the context.
const searchStep = 1 << 10

// Contents is all of a segment that can be read.
func Contents(fs vfs.FS, s *Segment) ([]byte, error) {
	f, err := fs.Open(s.Path)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, s.Size)
	n, err := io.ReadFull(f, raw)
	if n > 0 {
		err = nil
	}
	return raw[:n], errors.Join(err, f.Close())
}

// SeqIn is the number of a whole frame.
func SeqIn(frame []byte) uint64 { return binary.LittleEndian.Uint64(frame[4:]) }

// MarkIn is the mark of a whole frame.
func MarkIn(frame []byte) Mark { return Mark{SeqIn(frame), frameHash(frame)} }

// PayloadOf is what a whole frame holds, see EachWrite.
func PayloadOf(frame []byte) []byte { return frame[FrameHead:] }
