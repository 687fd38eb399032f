package fsck

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// findBase finds the newest base, by its name where its head cannot be read.
func (s *salvage) findBase() error {
	if s.base = s.x.log.base; s.base == nil && s.x.log.baseless {
		var err error
		if s.base, err = wal.BaseByName(s.x.log.fs, s.x.log.dir); err != nil {
			return err
		}
	}
	if s.base == nil {
		return nil
	}
	if raw, err := wal.Contents(s.x.log.fs, &wal.Segment{Path: s.base.Path, Size: s.base.Size}); err == nil {
		kindsIn(raw, s.kinds)
	}
	if !s.x.log.baseless {
		s.whole = s.base.Read(s.x.log.fs, func(journal.Write) error { return nil }) == nil
	}
	return nil
}

// upToBase is how many frames the base stands for.
func (s *salvage) upToBase() int {
	if s.base == nil {
		return 0
	}
	return s.upTo(s.base.At.Seq)
}

// upTo is how many frames there are of commits up to one.
func (s *salvage) upTo(seq uint64) int {
	n, _ := slices.BinarySearchFunc(s.frames, seq+1, func(f framePlace, seq uint64) int { return cmp.Compare(f.Seq, seq) })
	return n
}

// fromFrames adds the writes of whole frames.
func (s *salvage) fromFrames(frames []framePlace, put func(journal.Write) error) error {
	var raw []byte
	of := -1
	for _, f := range frames {
		if f.seg != of {
			var err error
			if raw, err = wal.Contents(s.x.log.fs, s.x.log.segs[f.seg]); err != nil {
				return err
			}
			of = f.seg
		}
		if f.at+f.size > len(raw) {
			return errors.New("the log changed while it was read")
		}
		if err := wal.EachWrite(wal.PayloadOf(raw[f.at:f.at+f.size]), put); err != nil {
			return err
		}
	}
	return nil
}

// fromBase adds the writes of the base's whole chunks.
func (s *salvage) fromBase(put func(journal.Write) error) error {
	b := s.base
	if b == nil {
		return nil
	}
	raw, err := wal.Contents(s.x.log.fs, &wal.Segment{Path: b.Path, Size: b.Size})
	if err != nil {
		return nil //nolint:nilerr // nothing of it can be had
	}
	return wal.EachChunk(raw, func(payload []byte) error { return wal.EachWrite(payload, put) })
}

// fragments adds the records that are whole in frames and chunks that are not.
func (s *salvage) fragments(put func(journal.Write) error) error {
	files := slices.Clone(s.x.log.segs)
	if b := s.base; b != nil {
		files = append(files, &wal.Segment{Path: b.Path, Size: b.Size})
	}
	for _, f := range files {
		raw, err := wal.Contents(s.x.log.fs, f)
		if err != nil {
			continue
		}
		if err := recordsIn(raw, put); err != nil {
			return err
		}
	}
	return nil
}

// recordsIn calls put with each write of a record whose text is as its hash says.
func recordsIn(raw []byte, put func(journal.Write) error) error {
	lo, _ := journal.KeysTo(1)
	begin := append([]byte{byte(len(lo))}, lo[0], 0) // the length of a record's key, its table, and a number below 2^56
	for at := 0; ; {
		i := bytes.Index(raw[at:], begin)
		if i < 0 {
			return nil
		}
		at += i
		w, ok := wal.WriteIn(raw[at:])
		if ok {
			if journal.WholeRecord(w) {
				if err := put(w); err != nil {
					return err
				}
			}
		}
		at++
	}
}

// kindsIn notes the kinds of the records whose text can be read in raw, damaged or not.
func kindsIn(raw []byte, kinds map[uint64]string) {
	const before, between, behind = ` :kind "`, `" :seq `, ` :session "`
	for {
		i := bytes.Index(raw, []byte(before))
		if i < 0 {
			return
		}
		raw = raw[i+len(before):]
		head := raw[:min(len(raw), 80)]
		kind, rest, ok := strings.Cut(string(head), between)
		if !ok || strings.ContainsAny(kind, `" \`) {
			continue
		}
		number, _, ok := strings.Cut(rest, behind)
		if seq, err := strconv.ParseUint(number, 10, 64); ok && err == nil && kinds[seq] == "" {
			kinds[seq] = kind
		}
	}
}
