package fsck

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// unreadable says that a table cannot be read any further.
type unreadable struct{ error }

// openTable opens a table that has an index. Blocks that are not as their sums say are
// refused at once when they are read: left alone, Pebble would look each time for the bit
// that was flipped.
func openTable(fs vfs.FS, path string) (*sstable.Reader, error) {
	file, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	blocks := &blockFile{ReadableFile: file}
	in, err := sstable.NewSimpleReadable(blocks)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	options := &pebble.Options{}
	options.EnsureDefaults()
	r, err := sstable.NewReader(context.Background(), in, options.MakeReaderOptions())
	if err != nil {
		return nil, err // it has closed the file
	}
	layout, err := r.Layout()
	if err != nil {
		return r, nil //nolint:nilerr // a part of the index: what stands under the others can be read
	}
	for _, b := range layout.Data {
		if lo, hi := int64(b.Offset), int64(b.Offset+b.Length+block.TrailerLen); !blockWhole(file, lo, hi) {
			blocks.bad = append(blocks.bad, [2]int64{lo, hi})
		}
	}
	return r, nil
}

// blockFile is a table that refuses to read some blocks.
type blockFile struct {
	sstable.ReadableFile
	bad [][2]int64 // from, and up to
}

func (f *blockFile) ReadAt(p []byte, off int64) (int, error) {
	for _, b := range f.bad {
		if off < b[1] && off+int64(len(p)) > b[0] {
			return 0, fmt.Errorf("%w: block %d", guard.ErrCorrupt, b[0])
		}
	}
	return f.ReadableFile.ReadAt(p, off)
}

// blockWhole reports whether a block, with its trailer, is as its sum says.
func blockWhole(file sstable.ReadableFile, lo, hi int64) bool {
	b := make([]byte, hi-lo)
	if _, err := file.ReadAt(b, lo); err != nil {
		return false
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	crc := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	return sum == (crc>>15|crc<<17)+0xa282ead8 // masked, as LevelDB does
}

// someOf reads a table from a key on, until something cannot be read.
func (s *salvage) someOf(r *sstable.Reader, last *[]byte, from []byte,
	f func(key []byte, v version, value func() ([]byte, error)) error) (err error) {
	defer func() {
		if p := recover(); p != nil { // what the sums of a table do not cover
			err = &unreadable{fmt.Errorf("pebble panicked: %v", p)}
		}
	}()
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return &unreadable{err}
	}
	defer func() { _ = it.Close() }() // it repeats what it.Error says
	for kv := it.SeekGE(from, 0); kv != nil; kv = it.Next() {
		kind := kv.Kind()
		v := version{number: uint64(kv.SeqNum()), gone: kind != pebble.InternalKeyKindSet &&
			kind != pebble.InternalKeyKindSetWithDelete}
		*last = append((*last)[:0], kv.K.UserKey...)
		if err := f(kv.K.UserKey, v, func() ([]byte, error) { b, _, err := kv.Value(nil); return b, err }); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return &unreadable{err}
	}
	return nil
}

func bytesMax(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// stepsOfOne is how many numbers of records are tried one by one, where a table cannot be
// read; then each step is twice the one before.
const stepsOfOne = 4096

// candidate is the next key behind one at which it is tried to read on: that of a
// record, one that the log has, or the first of a table of the journal's users.
func (s *salvage) candidate(after []byte) []byte {
	var next []byte
	closer := func(key []byte) {
		if bytes.Compare(key, after) > 0 && (next == nil || bytes.Compare(key, next) < 0) {
			next = key
		}
	}
	first, _ := journal.KeysTo(0)
	closer(first)
	if seq := journal.RecordIn(journal.Write{Key: append(slices.Clone(after),
		make([]byte, len(first))...)[:len(first)]}); seq < 1<<60 && len(after) > 0 && after[0] == first[0] {
		if s.step++; s.step > stepsOfOne {
			seq += 1 << min(s.step-stepsOfOne, 60)
		}
		_, behind := journal.KeysTo(seq)
		closer(behind)
	}
	i, found := slices.BinarySearchFunc(s.known, after,
		func(k string, after []byte) int { return strings.Compare(k, string(after)) })
	if found {
		i++
	}
	if i < len(s.known) {
		closer([]byte(s.known[i]))
	}
	if len(after) > 0 && after[0] < 0xff {
		closer([]byte{after[0] + 1})
	}
	return next
}
