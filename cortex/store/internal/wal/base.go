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

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// A base is a file of the log that stands for all frames up to one: everything that
// was there as of it, in the order of keys. It lets the log forget what was deleted
// or written over. It has a head, chunks, and a last chunk that is empty:
//
//	head   magic 8 bytes, sequence 8, hash 32, sum 4 (CRC-32C of the three)
//	chunk  length 4 bytes, sum 4 (CRC-32C of length and payload), payload: writes
//	end    length 0, sum (CRC-32C of it and what follows), how many writes 8, SHA-256 of all payloads 32
//
// It has its name only when it is whole and durable.
const (
	baseMagic  = "CortexB1"
	BasePrefix = "base-"
	newSuffix  = ".new"
	BaseHead   = len(baseMagic) + 8 + hashSize + 4
	ChunkHead  = 4 + 4
	ChunkSize  = 256 << 10 // begins a new one
	syncEvery  = 16        // chunks: one long sync would hold up those of commits
)

// Base is such a file as it is found.
type Base struct {
	Path string
	Size int64
	At   Mark // as of which frame
}

// BasePath is the path of the base as of a frame.
func BasePath(fs vfs.FS, dir string, seq uint64) string {
	return fs.PathJoin(dir, BasePrefix+strconv.FormatUint(seq, 10))
}

// Bases lists the bases of a log, the newest last.
func Bases(fs vfs.FS, dir string) (all []*Base, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		seq, err := strconv.ParseUint(strings.TrimPrefix(name, BasePrefix), 10, 64)
		if err != nil || !strings.HasPrefix(name, BasePrefix) {
			continue
		}
		b := &Base{Path: fs.PathJoin(dir, name)}
		if err := b.look(fs); err != nil {
			return nil, err
		}
		if b.At.Seq != seq {
			return nil, &guard.Damage{File: b.Path, Text: fmt.Sprintf("its head names commit %d", b.At.Seq)}
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *Base) int { return int(a.At.Seq) - int(b.At.Seq) })
	return all, nil
}

// look reads the head.
func (b *Base) look(fs vfs.FS) (err error) {
	f, err := fs.Open(b.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	b.Size = info.Size()
	head := make([]byte, BaseHead)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(head[:len(baseMagic)]) != baseMagic ||
		crc32.Checksum(head[:BaseHead-4], castagnoli) != binary.LittleEndian.Uint32(head[BaseHead-4:]) {
		return &guard.Damage{File: b.Path, Text: "its head cannot be read"}
	}
	b.At.Seq = binary.LittleEndian.Uint64(head[len(baseMagic):])
	copy(b.At.Hash[:], head[len(baseMagic)+8:])
	return nil
}

// cut returns the damage of a base that does not have its end.
func (b *Base) cut(fs vfs.FS) (err error) {
	f, err := fs.Open(b.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end := make([]byte, ChunkHead+8+hashSize)
	at := b.Size - int64(len(end))
	if at >= int64(BaseHead) {
		_, err = f.ReadAt(end, at)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case at < int64(BaseHead) || binary.LittleEndian.Uint32(end) != 0 ||
		chunkSum(end) != binary.LittleEndian.Uint32(end[4:]):
		return &guard.Damage{File: b.Path, Offset: b.Size, Frame: b.At.Seq,
			Text: "it was cut: what stands there is not its end"}
	}
	return nil
}

// BaseByName finds the newest base by its name, nil for none: its head may not be
// readable, so only its path, its size and the number of its frame are known.
func BaseByName(fs vfs.FS, dir string) (newest *Base, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		number, isBase := strings.CutPrefix(name, BasePrefix)
		seq, err := strconv.ParseUint(number, 10, 64)
		if !isBase || err != nil || newest != nil && newest.At.Seq > seq {
			continue
		}
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		if err != nil {
			return nil, err
		}
		newest = &Base{Path: path, Size: info.Size(), At: Mark{Seq: seq}}
	}
	return newest, nil
}
