package wal

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Read calls f with each write in a base. Key and value are valid until f returns.
// A base that is not as it was written is a [Damage]; f has had a part of it then.
func (b *Base) Read(fs vfs.FS, f func(w journal.Write) error) (err error) {
	file, err := fs.Open(b.Path, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReaderSize(io.NewSectionReader(file, int64(BaseHead), b.Size-int64(BaseHead)), ChunkSize)
	at, count, sum := int64(BaseHead), uint64(0), sha256.New()
	damage := func(text string) error { return &guard.Damage{File: b.Path, Offset: at, Frame: b.At.Seq, Text: text} }
	var buf []byte
	for {
		buf = append(buf[:0], make([]byte, ChunkHead)...)
		if _, err := io.ReadFull(in, buf); err != nil {
			return ended(err, damage("it ends there"))
		}
		n := int64(binary.LittleEndian.Uint32(buf))
		if n == 0 {
			break
		}
		if n > b.Size-at {
			return damage("a part of it is damaged")
		}
		buf = append(buf, make([]byte, n)...)
		if _, err := io.ReadFull(in, buf[ChunkHead:]); err != nil {
			return ended(err, damage("it ends there"))
		}
		if chunkSum(buf) != binary.LittleEndian.Uint32(buf[4:]) {
			return damage("a part of it is damaged")
		}
		_, _ = sum.Write(buf[ChunkHead:]) // a hash never errs
		if err := EachWrite(buf[ChunkHead:], func(w journal.Write) error { count++; return f(w) }); err != nil {
			return err
		}
		at += int64(len(buf))
	}
	buf = append(buf, make([]byte, 8+hashSize)...)
	if _, err := io.ReadFull(in, buf[ChunkHead:]); err != nil {
		return ended(err, damage("it ends there"))
	}
	if !slices.Equal(buf, baseEnd(count, sum.Sum(nil))) || at+int64(len(buf)) != b.Size {
		return damage("its end does not fit what stands before it")
	}
	return nil
}

func ended(err, instead error) error {
	if errors.Is(noFrame(err), errNoFrame) {
		return instead
	}
	return err
}

func chunkSum(chunk []byte) uint32 {
	return crc32.Update(crc32.Checksum(chunk[:4], castagnoli), castagnoli, chunk[ChunkHead:])
}

// baseEnd is the end, of a base with so many writes.
func baseEnd(count uint64, hash []byte) []byte {
	b := make([]byte, ChunkHead, ChunkHead+8+hashSize)
	b = binary.LittleEndian.AppendUint64(b, count)
	b = append(b, hash...)
	binary.LittleEndian.PutUint32(b[4:], chunkSum(b))
	return b
}

// EachChunk calls f with the payload of each whole chunk that stands anywhere in the
// bytes of a base.
func EachChunk(raw []byte, f func(payload []byte) error) error {
	for at := BaseHead; at+ChunkHead <= len(raw); {
		n := chunkAt(raw[at:])
		if n == 0 {
			at++
			continue
		}
		if err := f(raw[at+ChunkHead : at+n]); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// chunkAt is the size of the whole chunk that b begins with, 0 if there is none.
func chunkAt(b []byte) int {
	n := int64(binary.LittleEndian.Uint32(b))
	if n == 0 || n > int64(len(b)-ChunkHead) {
		return 0
	}
	chunk := b[:ChunkHead+n]
	// Where a chunk begins stands a write: that is cheaper to see than a sum.
	if _, rest, err := cut(chunk[ChunkHead:], 0); err != nil || len(rest) == 0 ||
		chunkSum(chunk) != binary.LittleEndian.Uint32(chunk[4:]) {
		return 0
	}
	return len(chunk)
}
