package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/opencortex-go/cortex/sexpr"
)

// KindRetention is the kind of the journal's own records about removed records.
// [Tx.Retain] writes them.
const KindRetention = "retention"

// ErrRemoved says that retention removed a record. It also matches [ErrNotFound].
var ErrRemoved error = removed{}

type removed struct{}

func (removed) Error() string        { return "removed by retention" }
func (removed) Is(target error) bool { return target == ErrNotFound }

// Span is a contiguous run of records.
type Span struct {
	From, To uint64
	Hash     sexpr.Digest // of the last one
}

// maxSpans bounds the number of kept spans, so that a retention record that lists
// them all stays far below [MaxRecord].
const maxSpans = 100_000

// ErrScattered says that the records to keep form too many spans.
var ErrScattered = fmt.Errorf("records are kept in more than %d places: no more is removed", maxSpans)

// maxDeltas is how many retention records may list only changes before one lists all
// spans again.
const maxDeltas = 64

// boundary describes what retention has removed at the beginning of a chain:
// everything up to to, except for some spans. It is derived from the retention
// records; an entry in the journal's table names the newest. So forging the boundary
// requires forging the chain.
//
// A retention record says how far the boundary moved (:boundary, and the :hash of
// the last record before it), which spans are kept from then on (:kept), and which
// spans kept before are now removed (:gone, by their first number). A :full one
// lists all kept spans, so that older ones are not needed.
type boundary struct {
	raw    []byte // the entry, as it is stored
	last   Head   // the newest retention record
	full   uint64 // the newest that lists all
	deltas int    // since then
	to     Head   // the last record that was removed or kept, by number and hash
	kept   []Span // ascending
}

// boundaryKey sorts before the keys of all records.
func boundaryKey() []byte { return []byte{tableRecord} }

const boundaryDomain = "cortex/boundary/1"

func (b *boundary) seal() []byte {
	content := fmt.Sprintf("(:hash %q :record %d", b.last.Hash, b.last.Seq)
	return fmt.Appendf(nil, "%s :sum %q)", content, sexpr.DigestText(boundaryDomain, content+")"))
}

func decodeBoundary(raw []byte) (*boundary, error) {
	v, err := sexpr.Read("boundary", string(raw))
	if err != nil {
		return nil, err
	}
	b := &boundary{raw: bytes.Clone(raw), last: Head{Seq: uint64(v.GetInt("record"))}}
	if b.last.Hash, err = sexpr.ParseDigest(v.GetText("hash")); err != nil {
		return nil, err
	}
	if !bytes.Equal(raw, b.seal()) {
		return nil, errors.New("it is not what was written")
	}
	return b, nil
}

func boundaryDamage(err error) error { return damage(0, "the boundary of retention: %w", err) }

// boundaryOf reads the boundary as seen by from; known is an earlier result, or nil.
func boundaryOf(from Getter, known *atomic.Pointer[boundary]) (*boundary, error) {
	raw, err := from.Get(boundaryKey())
	switch {
	case err != nil:
		return nil, fmt.Errorf("journal: the boundary of retention: %w", err)
	case raw == nil:
		return &boundary{}, nil
	}
	if known != nil {
		if b := known.Load(); b != nil && bytes.Equal(b.raw, raw) {
			return b, nil
		}
	}
	b, err := decodeBoundary(raw)
	if err != nil {
		return nil, boundaryDamage(err)
	}
	if err := b.fold(from); err != nil {
		return nil, err
	}
	if known != nil {
		known.Store(b)
	}
	return b, nil
}

// Boundary returns the last record that retention has examined; 0 if it never ran.
func (j *Journal) Boundary() (uint64, error) {
	b, err := boundaryOf(j, &j.bounds)
	if err != nil {
		return 0, err
	}
	return b.to.Seq, nil
}

// fold derives the boundary from its retention records.
func (b *boundary) fold(from Getter) error {
	var list []Record
	for seq := b.last.Seq; ; {
		r, err := raw(from, seq)
		switch {
		case err != nil:
			return err
		case r.Kind != KindRetention:
			return boundaryDamage(fmt.Errorf("record %d is a %s", seq, r.Kind))
		case len(list) == 0 && r.Hash != b.last.Hash:
			return damage(seq, "its hash is %s, the boundary of retention has %s", r.Hash, b.last.Hash)
		}
		list = append(list, r)
		if r.Body.GetTrue("full") {
			break
		}
		if seq = uint64(r.Body.GetInt("previous")); seq == 0 || seq >= r.Seq || len(list) > maxDeltas+1 {
			return damage(r.Seq, "it continues no retention record that lists all")
		}
	}
	for _, r := range slices.Backward(list) {
		if err := b.apply(r); err != nil {
			return damage(r.Seq, "%w", err)
		}
	}
	return nil
}

// apply takes one retention record into account.
func (b *boundary) apply(r Record) (err error) {
	v := r.Body
	b.last = Head{Seq: r.Seq, Hash: r.Hash}
	b.to.Seq = uint64(v.GetInt("boundary"))
	if b.to.Hash, err = sexpr.ParseDigest(v.GetText("hash")); err != nil {
		return err
	}
	b.deltas++
	if v.GetTrue("full") {
		b.full, b.deltas, b.kept = r.Seq, 0, nil
	}
	gone := map[uint64]bool{}
	list, _ := v.Get("gone")
	for _, x := range list.Items() {
		gone[uint64(x.Int())] = true
	}
	kept := slices.DeleteFunc(slices.Clone(b.kept), func(s Span) bool { return gone[s.From] })
	list, _ = v.Get("kept")
	for _, x := range list.Items() {
		s := Span{From: uint64(x.GetInt("from")), To: uint64(x.GetInt("to"))}
		if s.Hash, err = sexpr.ParseDigest(x.GetText("hash")); err != nil {
			return err
		}
		kept = append(kept, s)
	}
	slices.SortFunc(kept, func(x, y Span) int { return int(int64(x.From) - int64(y.From)) })
	for i, s := range kept {
		if s.From == 0 || s.From > s.To || s.To > b.to.Seq || i > 0 && s.From <= kept[i-1].To {
			return fmt.Errorf("it keeps records %d to %d, which cannot be", s.From, s.To)
		}
	}
	b.kept = kept
	return nil
}

// span returns the first span that ends at or behind seq.
func (b *boundary) span(seq uint64) (Span, bool) {
	i, _ := slices.BinarySearchFunc(b.kept, seq, func(s Span, seq uint64) int {
		if s.To < seq {
			return -1
		}
		return 1
	})
	if i < len(b.kept) {
		return b.kept[i], true
	}
	return Span{}, false
}

// due returns the first number at or behind seq that has a record.
func (b *boundary) due(seq uint64) uint64 {
	if seq > b.to.Seq {
		return seq
	}
	if s, ok := b.span(seq); ok {
		return max(seq, s.From)
	}
	return b.to.Seq + 1
}

// removed reports whether retention removed record seq.
func (b *boundary) removed(seq uint64) bool { return seq > 0 && seq <= b.to.Seq && b.due(seq) != seq }

// Removal is the result of one retention step.
type Removal struct {
	Removed int    // records
	To      uint64 // the boundary: older records are removed, or kept as an exception
	Record  Record // the retention record; zero if there was nothing to do
}

// Retain removes old records. It calls keep for each remaining record from number
// from to number to; keep says whether to keep it as an exception. The boundary
// moves to to, unless it is already there. from must not lie behind the boundary's
// next record; records newer than to do not change. Retain writes a record of kind
// [KindRetention] in the same update, after any records that keep appended.
func (tx *Tx) Retain(from, to uint64, keep func(Record) (bool, error)) (Removal, error) {
	out, err := tx.retain(from, to, keep)
	return out, tx.fail(err)
}

func (tx *Tx) retain(from, to uint64, keep func(Record) (bool, error)) (Removal, error) {
	if err := tx.usable(); err != nil {
		return Removal{}, err
	}
	old, err := boundaryOf(tx, tx.bounds)
	if err != nil {
		return Removal{}, err
	}
	if from == 0 || from > old.to.Seq+1 || to < from || to > tx.head.Seq {
		return Removal{}, fmt.Errorf("retention of records %d to %d: want a part of 1 to %d that begins at %d or before",
			from, to, tx.head.Seq, old.to.Seq+1)
	}
	s := sweep{tx: tx, keep: keep, from: from, to: to}
	next := boundary{to: old.to, full: old.full, deltas: old.deltas + 1}
	for _, span := range old.kept {
		if span.To < from || span.From > to {
			next.kept = append(next.kept, span)
			continue
		}
		s.gone = append(s.gone, span.From)
		if err := s.over(span); err != nil {
			return Removal{}, err
		}
	}
	if to > old.to.Seq {
		last, err := tx.Read(to)
		if err != nil {
			return Removal{}, err
		}
		if err := s.over(Span{From: old.to.Seq + 1, To: to, Hash: last.Hash}); err != nil {
			return Removal{}, err
		}
		next.to = Head{Seq: to, Hash: last.Hash}
	}
	if s.removed == 0 && next.to == old.to {
		return Removal{To: old.to.Seq}, nil
	}
	next.kept = append(next.kept, s.kept...)
	if len(next.kept) > maxSpans {
		return Removal{}, ErrScattered
	}
	return tx.retained(old, &next, &s)
}

// retained writes the retention record and points the boundary at it.
func (tx *Tx) retained(old, next *boundary, s *sweep) (Removal, error) {
	full := old.last.Seq == 0 || next.deltas > maxDeltas || next.full <= next.to.Seq
	gone, kept := s.gone, s.kept
	if full {
		gone, kept = nil, next.kept
	}
	var goneList, keptList []sexpr.Value
	for _, from := range gone {
		goneList = append(goneList, sexpr.Int64(int64(from)))
	}
	for _, k := range kept {
		keptList = append(keptList, sexpr.Plist("from", sexpr.Int64(int64(k.From)), "hash", sexpr.Str(k.Hash.String()),
			"to", sexpr.Int64(int64(k.To))))
	}
	r, err := tx.append(KindRetention, "", sexpr.Plist(
		"boundary", sexpr.Int64(int64(next.to.Seq)), "from", sexpr.Int64(int64(s.from)), "full", sexpr.Bool(full),
		"gone", sexpr.ListOf(goneList...),
		"hash", sexpr.Str(next.to.Hash.String()), "kept", sexpr.ListOf(keptList...),
		"previous", sexpr.Int64(int64(old.last.Seq)),
		"removed", sexpr.Int64(int64(s.removed)), "to", sexpr.Int64(int64(s.to))))
	if err != nil {
		return Removal{}, err
	}
	b := *old // the new boundary, as a reader would derive it
	if err := b.apply(r); err != nil {
		return Removal{}, err
	}
	b.raw = b.seal()
	tx.own.set(Write{Key: boundaryKey(), Value: b.raw})
	tx.bounds.Store(&b) // if this update is dropped, the entry does not match it, and it is read anew
	return Removal{Removed: s.removed, To: b.to.Seq, Record: r}, nil
}

// sweep examines records and removes those that are not kept.
type sweep struct {
	tx       *Tx
	keep     func(Record) (bool, error)
	from, to uint64

	gone    []uint64 // examined spans, by their first number
	kept    []Span   // their remaining parts, and newly kept spans
	removed int
}

// over examines the records of a span between from and to. The others stay.
func (s *sweep) over(span Span) error {
	lo, hi := max(span.From, s.from), min(span.To, s.to)
	run := Span{From: span.From, To: lo - 1} // To < From: empty
	flush := func() {
		if run.From <= run.To {
			s.kept = append(s.kept, run)
		}
	}
	for seq := lo; seq <= hi; seq++ {
		r, err := raw(s.tx, seq)
		if err != nil {
			return err
		}
		if seq == lo {
			run.Hash = r.Prev
		}
		stays, err := s.keep(r)
		if err != nil {
			return err
		}
		if stays {
			run.To, run.Hash = seq, r.Hash
			continue
		}
		flush()
		run = Span{From: seq + 1, To: seq}
		s.tx.own.set(Write{Key: recordKey(seq)})
		s.removed++
	}
	if hi < span.To {
		run.To, run.Hash = span.To, span.Hash
	}
	flush()
	return nil
}

// Retained returns how far retention went, and the kept spans. The Head is the
// newest record that was removed, or kept among removed ones; the zero Head means
// that retention never removed a record.
func (j *Journal) Retained() (to Head, kept []Span, err error) {
	b, err := boundaryOf(j.store, &j.bounds)
	if err != nil {
		return Head{}, nil, err
	}
	return b.to, slices.Clone(b.kept), nil
}

// Weigh calls f with the number and stored size, in bytes, of each record from
// the one numbered from, in order, until f returns false. It decodes nothing.
func (j *Journal) Weigh(from uint64, f func(seq uint64, size int) bool) error {
	return j.store.Scan(recordKey(max(from, 1)), headKey(), func(key, value []byte) bool {
		return f(seqOf(key), len(key)+len(value))
	})
}
