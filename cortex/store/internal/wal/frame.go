package wal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// A frame is what one commit wrote, as the log keeps it:
//
//	length   4 bytes, of the payload
//	sequence 8 bytes, from 1, without gaps
//	previous 32 bytes, the hash of the frame before; zero for the first
//	sum      4 bytes, CRC-32C of all of the above and the payload
//	payload  the writes
//
// Numbers are little endian. A frame's hash is SHA-256 of its sequence, previous
// and payload, so that a frame stands for all before it.
const (
	FrameHead = 4 + 8 + hashSize + 4
	hashSize  = sha256.Size
	maxFrame  = 1 << 30
)

type hash [hashSize]byte

// Mark names a frame: its sequence and its hash. The zero mark is before the first.
type Mark struct {
	Seq  uint64
	Hash hash
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // immutable

// appendFrame appends the frame that follows after with these writes, and returns
// its mark.
func appendFrame(b []byte, after Mark, writes []journal.Write) ([]byte, Mark) {
	start := len(b)
	b = append(b, make([]byte, 4)...)
	b = binary.LittleEndian.AppendUint64(b, after.Seq+1)
	b = append(b, after.Hash[:]...)
	b = append(b, make([]byte, 4)...)
	b = appendWrites(b, writes)
	f := b[start:]
	binary.LittleEndian.PutUint32(f, uint32(len(f)-FrameHead))
	binary.LittleEndian.PutUint32(f[FrameHead-4:], frameSum(f))
	return b, Mark{after.Seq + 1, frameHash(f)}
}

func frameSum(f []byte) uint32 {
	return crc32.Update(crc32.Checksum(f[:FrameHead-4], castagnoli), castagnoli, f[FrameHead:])
}

func frameHash(f []byte) (h hash) {
	s := sha256.New()
	_, _ = s.Write(f[4 : 4+8+hashSize]) // a hash never errs
	_, _ = s.Write(f[FrameHead:])
	s.Sum(h[:0])
	return h
}

// errNoFrame says that what is there is no whole frame: the log ends here, or is
// damaged.
var errNoFrame = errors.New("no whole frame")

// readFrame reads the frame that follows after. The payload is valid until the
// next read into buf.
func readFrame(r io.Reader, after Mark, left int64, buf *[]byte) (payload []byte, at Mark, err error) {
	if left < FrameHead {
		return nil, at, errNoFrame
	}
	*buf = append((*buf)[:0], make([]byte, FrameHead)...)
	if _, err := io.ReadFull(r, *buf); err != nil {
		return nil, at, noFrame(err)
	}
	n := int64(binary.LittleEndian.Uint32(*buf))
	if n > maxFrame || n > left-FrameHead || binary.LittleEndian.Uint64((*buf)[4:]) != after.Seq+1 ||
		!bytes.Equal((*buf)[12:12+hashSize], after.Hash[:]) {
		return nil, at, errNoFrame
	}
	*buf = append(*buf, make([]byte, n)...)
	if _, err := io.ReadFull(r, (*buf)[FrameHead:]); err != nil {
		return nil, at, noFrame(err)
	}
	if frameSum(*buf) != binary.LittleEndian.Uint32((*buf)[FrameHead-4:]) {
		return nil, at, errNoFrame
	}
	return (*buf)[FrameHead:], Mark{after.Seq + 1, frameHash(*buf)}, nil
}

// noFrame tells the end of a file, where there is no frame, from a disk that
// cannot be read.
func noFrame(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errNoFrame
	}
	return err
}

// appendWrites appends each write as the length of its key, the key, one more than
// the length of its value or 0 for a deletion, and the value.
func appendWrites(b []byte, writes []journal.Write) []byte {
	for _, w := range writes {
		b = binary.AppendUvarint(b, uint64(len(w.Key)))
		b = append(b, w.Key...)
		if w.Value == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(w.Value))+1)
		b = append(b, w.Value...)
	}
	return b
}

// EachWrite reads what appendWrites wrote. Slices are parts of payload.
func EachWrite(payload []byte, f func(w journal.Write) error) error {
	for len(payload) > 0 {
		var w journal.Write
		var err error
		if w.Key, payload, err = cut(payload, 0); err != nil {
			return fmt.Errorf("a key: %w", err)
		}
		if len(payload) > 0 && payload[0] == 0 {
			payload = payload[1:]
		} else if w.Value, payload, err = cut(payload, 1); err != nil {
			return fmt.Errorf("a value: %w", err)
		}
		if err := f(w); err != nil {
			return err
		}
	}
	return nil
}

// cut reads a length, which counts more than there is, and so many bytes. The
// bytes are never nil.
func cut(b []byte, more uint64) (part, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n < more || n-more > uint64(len(b)-size) {
		return nil, nil, errors.New("a length that does not fit")
	}
	end := size + int(n-more)
	return b[size:end:end], b[end:], nil
}

// WriteIn reads the write that b begins with.
func WriteIn(b []byte) (w journal.Write, ok bool) {
	var err error
	if w.Key, b, err = cut(b, 0); err != nil || len(b) == 0 || b[0] == 0 {
		return w, false
	}
	w.Value, _, err = cut(b, 1)
	return w, err == nil
}
