package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
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
	basePrefix = "base-"
	newSuffix  = ".new"
	baseHead   = len(baseMagic) + 8 + hashSize + 4
	chunkHead  = 4 + 4
	chunkSize  = 256 << 10 // begins a new one
	syncEvery  = 16        // chunks: one long sync would hold up those of commits
)

// base is such a file as it is found.
type base struct {
	path string
	size int64
	at   mark // as of which frame
}

func basePath(fs vfs.FS, dir string, seq uint64) string {
	return fs.PathJoin(dir, basePrefix+strconv.FormatUint(seq, 10))
}

// bases lists the bases of a log, the newest last.
func bases(fs vfs.FS, dir string) (all []*base, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		seq, err := strconv.ParseUint(strings.TrimPrefix(name, basePrefix), 10, 64)
		if err != nil || !strings.HasPrefix(name, basePrefix) {
			continue
		}
		b := &base{path: fs.PathJoin(dir, name)}
		if err := b.look(fs); err != nil {
			return nil, err
		}
		if b.at.seq != seq {
			return nil, &Damage{File: b.path, Text: fmt.Sprintf("its head tells of commit %d", b.at.seq)}
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *base) int { return int(a.at.seq) - int(b.at.seq) })
	return all, nil
}

// look reads the head.
func (b *base) look(fs vfs.FS) (err error) {
	f, err := fs.Open(b.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	b.size = info.Size()
	head := make([]byte, baseHead)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(head[:len(baseMagic)]) != baseMagic ||
		crc32.Checksum(head[:baseHead-4], castagnoli) != binary.LittleEndian.Uint32(head[baseHead-4:]) {
		return &Damage{File: b.path, Text: "its head cannot be read"}
	}
	b.at.seq = binary.LittleEndian.Uint64(head[len(baseMagic):])
	copy(b.at.hash[:], head[len(baseMagic)+8:])
	return nil
}

// cut returns the damage of a base that does not have its end.
func (b *base) cut(fs vfs.FS) (err error) {
	f, err := fs.Open(b.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end := make([]byte, chunkHead+8+hashSize)
	at := b.size - int64(len(end))
	if at >= int64(baseHead) {
		_, err = f.ReadAt(end, at)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case at < int64(baseHead) || binary.LittleEndian.Uint32(end) != 0 ||
		chunkSum(end) != binary.LittleEndian.Uint32(end[4:]):
		return &Damage{File: b.path, Offset: b.size, Frame: b.at.seq, Text: "it was cut: what stands there is not its end"}
	}
	return nil
}

// read calls f with each write in a base. Key and value are valid until f returns.
// A base that is not as it was written is a [Damage]; f has had a part of it then.
func (b *base) read(fs vfs.FS, f func(w journal.Write) error) (err error) {
	file, err := fs.Open(b.path, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReaderSize(io.NewSectionReader(file, int64(baseHead), b.size-int64(baseHead)), chunkSize)
	at, count, sum := int64(baseHead), uint64(0), sha256.New()
	damage := func(text string) error { return &Damage{File: b.path, Offset: at, Frame: b.at.seq, Text: text} }
	var buf []byte
	for {
		buf = append(buf[:0], make([]byte, chunkHead)...)
		if _, err := io.ReadFull(in, buf); err != nil {
			return ended(err, damage("it ends there"))
		}
		n := int64(binary.LittleEndian.Uint32(buf))
		if n == 0 {
			break
		}
		if n > b.size-at {
			return damage("a part of it is damaged")
		}
		buf = append(buf, make([]byte, n)...)
		if _, err := io.ReadFull(in, buf[chunkHead:]); err != nil {
			return ended(err, damage("it ends there"))
		}
		if chunkSum(buf) != binary.LittleEndian.Uint32(buf[4:]) {
			return damage("a part of it is damaged")
		}
		_, _ = sum.Write(buf[chunkHead:]) // a hash never errs
		if err := eachWrite(buf[chunkHead:], func(w journal.Write) error { count++; return f(w) }); err != nil {
			return err
		}
		at += int64(len(buf))
	}
	buf = append(buf, make([]byte, 8+hashSize)...)
	if _, err := io.ReadFull(in, buf[chunkHead:]); err != nil {
		return ended(err, damage("it ends there"))
	}
	if !slices.Equal(buf, baseEnd(count, sum.Sum(nil))) || at+int64(len(buf)) != b.size {
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
	return crc32.Update(crc32.Checksum(chunk[:4], castagnoli), castagnoli, chunk[chunkHead:])
}

// baseEnd is the end, of a base with so many writes.
func baseEnd(count uint64, hash []byte) []byte {
	b := make([]byte, chunkHead, chunkHead+8+hashSize)
	b = binary.LittleEndian.AppendUint64(b, count)
	b = append(b, hash...)
	binary.LittleEndian.PutUint32(b[4:], chunkSum(b))
	return b
}

// writeBase makes the base as of a frame from what scan calls add with, in the order
// of keys, and makes it durable. After an error there is none.
func writeBase(disk *guarded, dir string, at mark, scan func(add func(w journal.Write) error) error) (b *base,
	err error) {
	b = &base{path: basePath(disk.FS, dir, at.seq), at: at}
	w := &baseWriter{disk: disk, path: b.path + newSuffix}
	if err := disk.do("create", w.path, func() (err error) {
		w.file, err = disk.FS.Create(w.path, vfs.WriteCategoryUnspecified)
		return err
	}); err != nil {
		return nil, err
	}
	err = w.all(at, scan)
	err = errors.Join(err, w.file.Close())
	if err == nil {
		err = disk.do("rename", b.path, func() error { return disk.FS.Rename(w.path, b.path) })
	}
	if err != nil {
		return nil, errors.Join(err, disk.do("remove", w.path, func() error { return disk.FS.Remove(w.path) }))
	}
	b.size = w.size
	return b, syncDir(disk, dir)
}

type baseWriter struct {
	disk   *guarded
	path   string
	file   vfs.File
	size   int64
	chunks int
}

func (w *baseWriter) all(at mark, scan func(add func(w journal.Write) error) error) error {
	head := append([]byte(baseMagic), binary.LittleEndian.AppendUint64(nil, at.seq)...)
	head = append(head, at.hash[:]...)
	if err := w.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))); err != nil {
		return err
	}
	chunk, count, sum := make([]byte, chunkHead, 2*chunkSize), uint64(0), sha256.New()
	flush := func() error {
		if len(chunk) == chunkHead {
			return nil
		}
		_, _ = sum.Write(chunk[chunkHead:]) // a hash never errs
		binary.LittleEndian.PutUint32(chunk, uint32(len(chunk)-chunkHead))
		binary.LittleEndian.PutUint32(chunk[4:], chunkSum(chunk))
		err := w.write(chunk)
		if w.chunks++; err == nil && w.chunks%syncEvery == 0 {
			err = w.sync()
		}
		chunk = chunk[:chunkHead]
		return err
	}
	err := scan(func(one journal.Write) error {
		count++
		if chunk = appendWrites(chunk, []journal.Write{one}); len(chunk) < chunkSize {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = w.write(baseEnd(count, sum.Sum(nil)))
	}
	if err == nil {
		err = w.sync()
	}
	return err
}

func (w *baseWriter) write(b []byte) error {
	w.size += int64(len(b))
	return w.disk.do("write", w.path, func() error {
		n, err := w.file.Write(b)
		return short(n, b, err)
	})
}

// sync is a whole one: the file's size matters.
func (w *baseWriter) sync() error { return w.disk.do("sync", w.path, w.file.Sync) }

// syncDir makes durable what was made, renamed and removed in a folder.
func syncDir(disk *guarded, dir string) error {
	return disk.do("sync", dir, func() error {
		d, err := disk.FS.OpenDir(dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}
