package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// Damage is the error that names the first record that was changed or misplaced.
type Damage struct {
	Seq uint64 // of the record; 0 for the head, or for an entry that is not a record
	Err error  // what is wrong
}

// Error names the record and describes the damage.
func (d *Damage) Error() string {
	if d.Seq == 0 {
		return fmt.Sprintf("journal: damaged: %v", d.Err)
	}
	return fmt.Sprintf("journal: record %d is damaged: %v", d.Seq, d.Err)
}

// Unwrap returns the cause.
func (d *Damage) Unwrap() error { return d.Err }

// ReadError names the first record that the store cannot read. The record may or may
// not be damaged.
type ReadError struct {
	Seq uint64
	Err error // of the store
}

// Error names the record and the store's error.
func (e *ReadError) Error() string { return fmt.Sprintf("journal: record %d: %v", e.Seq, e.Err) }

// Unwrap returns the store's error.
func (e *ReadError) Unwrap() error { return e.Err }

func damage(seq uint64, format string, args ...any) *Damage {
	return &Damage{Seq: seq, Err: fmt.Errorf(format, args...)}
}

// Errors that a [Damage] wraps if the chain contradicts a head seen earlier.
var (
	// ErrTruncated says that the chain ends before a head seen earlier.
	ErrTruncated = errors.New("truncated")
	// ErrForked says that the chain differs from the one seen earlier.
	ErrForked = errors.New("forked")
)

// Verify returns a [*Damage] that names the first bad record. It reads every record
// and checks it and its place in the chain. Records that are written while it runs
// may or may not be checked. Where retention removed records, Verify checks the kept
// ones against the retention records. Each head in seen, kept elsewhere since an
// earlier time, must be part of the chain: this detects a chain that was cut off
// together with its head, or rewritten. If retention removed the record of such a
// head, the error is [ErrRemoved].
func (j *Journal) Verify(ctx context.Context, seen ...Head) error {
	return j.VerifyFrom(ctx, 1, seen...)
}

// VerifyFrom is [Journal.Verify], beginning at the record numbered from.
func (j *Journal) VerifyFrom(ctx context.Context, from uint64, seen ...Head) error {
	// This process knows the head that it made durable itself.
	if err := j.walk(ctx, from, func(Record) error { return nil }, append([]Head{j.Head()}, seen...)...); err != nil {
		return err
	}
	b, err := boundaryOf(j.store, &j.bounds)
	for _, h := range seen {
		if err == nil && b.removed(h.Seq) && h.Seq != b.to.Seq {
			err = fmt.Errorf("journal: record %d, seen before, cannot be compared: %w", h.Seq, ErrRemoved)
		}
	}
	return err
}

// tail is how many records at the end of the chain are checked on opening.
const tail = 64

// begin reads the head of a store and checks the chain's end. It puts the zero
// head into an empty store, so that a missing head always means damage.
func begin(store Store) (Head, error) {
	raw, err := store.Get(headKey())
	if err != nil {
		return Head{}, unread(store, err)
	}
	if raw == nil {
		return Head{}, found(store)
	}
	head, err := decodeHead(raw)
	if err != nil {
		return Head{}, headDamage(err)
	}
	w := walker{store: store, from: max(head.Seq, tail) - tail + 1}
	if b, err := boundaryOf(store, nil); err == nil { // else the walk finds the error
		w.from = max(w.from, b.to.Seq+1)
	}
	all := func(Record) error { return nil }
	err = w.walk(context.Background(), all)
	if errors.As(err, new(*Damage)) { // there may be earlier damage, and the first is to be named
		whole := walker{store: store, from: 1}
		if first := whole.walk(context.Background(), all); first != nil {
			err = first
		}
	}
	return head, err
}

// found puts the zero head into a store that must be empty.
func found(store Store) error {
	empty := true
	err := store.Scan(nil, nil, func(_, _ []byte) bool { empty = false; return false })
	switch {
	case err != nil:
		return err
	case !empty:
		return headDamage(errMissing)
	}
	return store.Commit([]Write{{Key: headKey(), Value: Head{}.seal()}})
}

// unread adds the first unreadable record to the error of an unreadable head.
func unread(store Store, err error) error {
	var record *ReadError
	w := walker{store: store, from: 1}
	if walked := w.walk(context.Background(), func(Record) error { return nil }); errors.As(walked, &record) {
		return record
	}
	return err
}

var errMissing = errors.New("it is missing")

func headDamage(err error) error { return damage(0, "the head: %w", err) }

func (j *Journal) walk(ctx context.Context, from uint64, f func(Record) error, seen ...Head) error {
	w := walker{store: j.store, from: max(from, 1), seen: seen, known: &j.bounds}
	return w.walk(ctx, f)
}

// walker walks the chain and checks each link.
type walker struct {
	store Store
	from  uint64
	seen  []Head // heads that must be part of the chain

	// known is the boundary as it was derived before; nil derives it again. The
	// walk checks the retention records that it passes in any case.
	known *atomic.Pointer[boundary]

	bounds *boundary // of retention
	blind  error     // why the boundary cannot be read
	moved  bool      // retention has moved on since the walk began
	last   Head      // the newest record that was passed
	next   uint64    // the next number
	head   []byte    // as it is stored
	stray  error     // for an entry of the table that is neither record nor head
}

// errMoved says that retention removed records between two reads.
var errMoved = errors.New("retention has moved the boundary")

// walk calls f with each record that is in its place.
func (w *walker) walk(ctx context.Context, f func(Record) error) (err error) {
	for {
		var bad *Damage
		w.blind = nil
		if w.bounds, err = boundaryOf(w.store, w.known); errors.As(err, &bad) {
			return err
		} else if err != nil { // the store cannot read a record: find out which one
			w.bounds, w.blind = &boundary{}, err
		}
		err = w.once(ctx, f)
		if w.blind != nil && (err == nil || errors.As(err, &bad)) {
			return w.blind
		}
		if !errors.Is(err, errMoved) {
			return err
		}
	}
}

// once is one walk. It returns errMoved only before any record was passed.
func (w *walker) once(ctx context.Context, f func(Record) error) error {
	w.next, w.stray = w.bounds.due(w.from), nil
	lo := recordKey(w.from)
	if w.from == 1 {
		lo = boundaryKey() // so that entries before the first record are seen
	}
	var inner error
	// The head comes last in one scan with the records, so all are of one moment.
	err := w.store.Scan(lo, endOfTable(), func(key, value []byte) bool {
		if ctx.Err() != nil {
			inner = fmt.Errorf("journal: stopped before record %d: %w", w.next, context.Cause(ctx))
			return false
		}
		inner = w.entry(key, value, f)
		return inner == nil
	})
	switch {
	case inner != nil:
		return inner
	case err != nil:
		return &ReadError{Seq: w.next, Err: err}
	}
	return w.end()
}

// seqOf returns the number in a record's key, 0 for other keys.
func seqOf(key []byte) uint64 {
	if len(key) != keyLen {
		return 0
	}
	return binary.BigEndian.Uint64(key[1:])
}

// entry checks one entry of the journal's table.
func (w *walker) entry(key, value []byte, f func(Record) error) error {
	switch {
	case bytes.Equal(key, headKey()):
		w.head = bytes.Clone(value)
		return nil
	case bytes.Equal(key, boundaryKey()):
		if w.blind == nil && !bytes.Equal(value, w.bounds.raw) {
			return errMoved
		}
		return nil
	}
	seq := seqOf(key)
	if seq == 0 || seq > maxSeq {
		w.stray = damage(0, "the key %q is neither a record's nor the head's", key)
		return nil
	}
	if seq > w.next {
		if err := w.refresh(seq); err != nil {
			return err
		}
	}
	switch {
	case seq > w.next:
		return damage(w.next, "it is missing; the next one is record %d", seq)
	case seq < w.next && w.moved:
		return nil // it was still there when the walk began
	case seq < w.next:
		return damage(seq, "retention removed it, and it is there")
	}
	r, err := decodeAt(seq, value)
	if err != nil {
		return err
	}
	if err := w.link(r); err != nil {
		return err
	}
	w.last, w.next = Head{Seq: seq, Hash: r.Hash}, w.bounds.due(seq+1)
	return f(r)
}

// refresh checks whether retention has removed the records that are missing before
// seq since the walk read the boundary.
func (w *walker) refresh(seq uint64) error {
	b, err := boundaryOf(w.store, w.known)
	if err == nil && w.from > 1 && !bytes.Equal(b.raw, w.bounds.raw) && b.due(w.next) >= seq {
		w.bounds, w.moved, w.next = b, true, seq
	}
	return err
}

// link checks that r continues the chain, and that it agrees with the heads and the
// boundary. r itself matches its own hash.
func (w *walker) link(r Record) error {
	b, follows := w.bounds, w.last.Seq > 0 && r.Seq == w.last.Seq+1
	switch {
	case r.Seq == 1 && !r.Prev.IsZero():
		return damage(1, "it continues another chain, from %s", r.Prev)
	case follows && r.Prev != w.last.Hash && w.vouched(r):
		return damage(r.Seq-1, "its hash is %s, the next record continues %s", w.last.Hash, r.Prev)
	case follows && r.Prev != w.last.Hash:
		return damage(r.Seq, "it continues %s, the record before has %s", r.Prev, w.last.Hash)
	case b.to.Seq > 0 && r.Seq == b.to.Seq+1 && r.Prev != b.to.Hash:
		return damage(r.Seq, "it continues %s, retention removed all up to %s", r.Prev, b.to)
	case r.Kind == KindRetention && r.Seq > b.last.Seq && !w.moved && w.from == 1:
		return boundaryDamage(fmt.Errorf("it was set by record %d, and record %d moved it", b.last.Seq, r.Seq))
	}
	if s, ok := b.span(r.Seq); ok && s.To == r.Seq && s.Hash != r.Hash {
		return damage(r.Seq, "its hash is %s, and was %s when retention kept it", r.Hash, s.Hash)
	}
	for _, s := range w.seen {
		if s.Seq == r.Seq && s.Hash != r.Hash {
			return damage(r.Seq, "%w: its hash is %s, and was %s when it was seen before", ErrForked, r.Hash, s.Hash)
		}
	}
	return nil
}

// vouched reports whether the record after r has its hash. For a broken link, that
// shows which of the two records was replaced.
func (w *walker) vouched(r Record) bool {
	if s, ok := w.bounds.span(r.Seq); ok && s.To == r.Seq {
		return s.Hash == r.Hash
	}
	if next, err := raw(w.store, r.Seq+1); err == nil {
		return next.Prev == r.Hash
	}
	raw, err := w.store.Get(headKey())
	if err != nil || raw == nil {
		return false
	}
	head, err := decodeHead(raw)
	return err == nil && head == Head{Seq: r.Seq, Hash: r.Hash}
}

// end checks that the chain reaches its head and all heads seen.
func (w *walker) end() error {
	if w.head == nil {
		return headDamage(errMissing)
	}
	head, err := decodeHead(w.head)
	switch {
	case err != nil:
		return headDamage(err)
	case head.Seq >= w.next:
		return damage(w.next, "it is missing; the head names record %d", head.Seq)
	case w.last.Seq > head.Seq:
		return damage(head.Seq+1, "the chain goes on after its head")
	case w.last.Seq == head.Seq && w.last.Hash != head.Hash:
		return damage(head.Seq, "its hash is %s, the head has %s", w.last.Hash, head.Hash)
	}
	for _, s := range w.seen {
		if b := w.bounds.to; s.Seq == b.Seq && b.Seq > 0 && s.Hash != b.Hash {
			return damage(s.Seq, "%w: its hash was %s when retention removed it, and %s when it was seen before", ErrForked,
				b.Hash, s.Hash)
		}
		if s.Seq > head.Seq {
			return damage(head.Seq+1, "%w: it is missing; record %d was seen before", ErrTruncated, s.Seq)
		}
	}
	return w.stray
}
