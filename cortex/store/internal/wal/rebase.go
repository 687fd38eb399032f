package wal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// WriteBase makes the base as of a frame from what scan calls add with, in the order
// of keys, and makes it durable. After an error there is none.
func WriteBase(disk *guard.Disk, dir string, at Mark, scan func(add func(w journal.Write) error) error) error {
	path := BasePath(disk.FS, dir, at.Seq)
	w := &baseWriter{disk: disk, path: path + newSuffix}
	if err := disk.Do("create", w.path, func() (err error) {
		w.file, err = disk.FS.Create(w.path, vfs.WriteCategoryUnspecified)
		return err
	}); err != nil {
		return err
	}
	err := errors.Join(w.all(at, scan), w.file.Close())
	if err == nil {
		err = disk.Do("rename", path, func() error { return disk.FS.Rename(w.path, path) })
	}
	if err != nil {
		return errors.Join(err, disk.Do("remove", w.path, func() error { return disk.FS.Remove(w.path) }))
	}
	return guard.SyncDir(disk, dir)
}

type baseWriter struct {
	disk   *guard.Disk
	path   string
	file   vfs.File
	chunks int
}

func (w *baseWriter) all(at Mark, scan func(add func(w journal.Write) error) error) error {
	head := append([]byte(baseMagic), binary.LittleEndian.AppendUint64(nil, at.Seq)...)
	head = append(head, at.Hash[:]...)
	if err := w.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))); err != nil {
		return err
	}
	chunk, count, sum := make([]byte, ChunkHead, 2*ChunkSize), uint64(0), sha256.New()
	flush := func() error {
		if len(chunk) == ChunkHead {
			return nil
		}
		_, _ = sum.Write(chunk[ChunkHead:]) // a hash never errs
		binary.LittleEndian.PutUint32(chunk, uint32(len(chunk)-ChunkHead))
		binary.LittleEndian.PutUint32(chunk[4:], chunkSum(chunk))
		err := w.write(chunk)
		if w.chunks++; err == nil && w.chunks%syncEvery == 0 {
			err = w.sync()
		}
		chunk = chunk[:ChunkHead]
		return err
	}
	err := scan(func(one journal.Write) error {
		count++
		if chunk = appendWrites(chunk, []journal.Write{one}); len(chunk) < ChunkSize {
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
	return w.disk.Do("write", w.path, func() error {
		n, err := w.file.Write(b)
		return guard.Short(n, b, err)
	})
}

// sync is a whole one: the file's size matters.
func (w *baseWriter) sync() error { return w.disk.Do("sync", w.path, w.file.Sync) }

// Rebase writes the base as of a frame from what scan calls add with, in the order of
// keys, and forgets what it stands for. It is [journal.ErrFull] where there is no space
// for it, and then the log is as it was.
func (l *Log) Rebase(at Mark, scan func(add func(journal.Write) error) error) error {
	if err := WriteBase(l.disk, l.dir, at, scan); err != nil {
		return guard.Full(err)
	}
	all, err := Segments(l.disk.FS, l.dir)
	if err != nil {
		return err
	}
	based, err := Bases(l.disk.FS, l.dir)
	if err != nil {
		return err
	}
	was := sizes(all)
	left, err := l.forget(all, based)
	if err == nil {
		l.bytes.Add(sizes(left) - was)
	}
	return err
}

func sizes(all []*Segment) (n int64) {
	for _, s := range all {
		n += s.Size
	}
	return n
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
