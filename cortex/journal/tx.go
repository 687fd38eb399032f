package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/opencortex-go/cortex/sexpr"
)

// Tx is one update inside the single writer. It sees the writes of earlier updates,
// durable or in the same group, and its own. Do not keep it after the update's
// function returns, or pass it to another goroutine.
//
// An update is all or nothing: if any of its steps fails, it is dropped, whatever
// its function returns. [Tx.Read] of a record that does not exist does not count as
// a failed step.
type Tx struct {
	store  Store
	group  *group
	head   Head                      // after this update's records
	own    layer                     // this update's writes
	bounds *atomic.Pointer[boundary] // the journal's
	veil   Veil                      // the journal's; nil hides nothing
	now    int64
	err    error // the first step that failed
	over   bool  // the function has returned
}

// Now returns the time of this update, in Unix nanoseconds. It does not change
// during the update; its records have it.
func (tx *Tx) Now() int64 { return tx.now }

// Last returns the number of the newest record, those of this update included.
func (tx *Tx) Last() uint64 { return tx.head.Seq }

// Get returns a copy of the value under key, nil if there is none.
func (tx *Tx) Get(key []byte) ([]byte, error) {
	if err := tx.usable(); err != nil {
		return nil, err
	}
	for _, l := range []layer{tx.own, tx.group.writes} {
		if i, ok := l.find(key); ok {
			return bytes.Clone(l[i].Value), nil
		}
	}
	value, err := tx.store.Get(key)
	return value, tx.fail(err)
}

// Set writes value under key; a nil value counts as an empty one. The keys that
// begin with 'e' are the journal's own: writing there fails the update.
func (tx *Tx) Set(key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	tx.put(key, value)
}

// Delete removes key, if it is there. It fails where [Tx.Set] does.
func (tx *Tx) Delete(key []byte) { tx.put(key, nil) }

func (tx *Tx) put(key, value []byte) {
	switch {
	case tx.usable() != nil:
	case len(key) == 0:
		_ = tx.fail(errors.New("the empty key cannot be written"))
	case key[0] == tableRecord:
		_ = tx.fail(fmt.Errorf("key %q: keys that begin with %q are the journal's own", key, tableRecord))
	default:
		w := Write{Key: tx.group.memory.clone(key)}
		if value != nil {
			w.Value = tx.group.memory.clone(value)
		}
		tx.own.set(w)
	}
}

// Scan calls f with each entry from lo (inclusive) to hi (exclusive; nil: to
// the end) in order until f returns false. Slices are valid only during the
// call. What f writes is not seen by this scan.
func (tx *Tx) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	if err := tx.usable(); err != nil {
		return err
	}
	pending := overlay(tx.group.writes.between(lo, hi), tx.own.between(lo, hi))
	going := true
	visit := func(w Write) {
		if going && w.Value != nil {
			going = f(w.Key, w.Value)
		}
	}
	err := tx.store.Scan(lo, hi, func(key, value []byte) bool {
		for len(pending) > 0 && going {
			c := bytes.Compare(pending[0].Key, key)
			if c > 0 {
				break
			}
			visit(pending[0])
			pending = pending[1:]
			if c == 0 {
				return going
			}
		}
		visit(Write{key, value})
		return going
	})
	for i := 0; err == nil && going && i < len(pending); i++ {
		visit(pending[i])
	}
	return tx.fail(err)
}

// Read returns one record, those of this update included. It errs as
// [Journal.Read] does.
func (tx *Tx) Read(seq uint64) (Record, error) {
	r, err := read(tx, seq, tx.bounds)
	if errors.Is(err, ErrNotFound) {
		return r, err
	}
	r, err = shown(tx.veil, tx, r, err)
	return r, tx.fail(err)
}

// Append adds a record with the next number to the chain. The body is a plist
// (or nil, or {}) that has a canonical form; the stored record must not be
// longer than [MaxRecord]. The body of the record that it returns is the stored one.
func (tx *Tx) Append(kind, session string, body sexpr.Value) (Record, error) {
	if kind == KindRetention {
		return Record{}, tx.fail(fmt.Errorf("records of kind %q are the journal's own", kind))
	}
	return tx.append(kind, session, body)
}

// AppendBody is [Tx.Append] for a finished body. It returns the record's number and
// hash.
func (tx *Tx) AppendBody(kind, session string, body Body) (Head, error) {
	if kind == KindRetention {
		return Head{}, tx.fail(fmt.Errorf("records of kind %q are the journal's own", kind))
	}
	r := Record{Kind: kind, Session: session}
	if err := tx.appendBody(&r, body); err != nil {
		return Head{}, err
	}
	return Head{Seq: r.Seq, Hash: r.Hash}, nil
}

func (tx *Tx) append(kind, session string, value sexpr.Value) (Record, error) {
	if err := tx.usable(); err != nil {
		return Record{}, err
	}
	value, err := sexpr.Sorted(value)
	if err != nil {
		return Record{}, tx.fail(fmt.Errorf("%s: %w", kind, err))
	}
	body, err := NewBody(value)
	if err != nil {
		return Record{}, tx.fail(fmt.Errorf("%s: %w", kind, err))
	}
	r := Record{Kind: kind, Session: session, Body: value}
	if err := tx.appendBody(&r, body); err != nil {
		return Record{}, err
	}
	return r, nil
}

// appendBody makes r the next record of the chain.
func (tx *Tx) appendBody(r *Record, body Body) error {
	if err := tx.usable(); err != nil {
		return err
	}
	if err := tx.hide(r, &body); err != nil {
		return err
	}
	r.Seq, r.At, r.Prev = tx.head.Seq+1, tx.now, tx.head.Hash
	raw, err := seal(tx.group.memory.room(sealedSize(r, body.text)), r, body.text)
	if err != nil {
		return tx.fail(err)
	}
	tx.own.set(Write{Key: recordKey(r.Seq), Value: raw})
	tx.head = Head{Seq: r.Seq, Hash: r.Hash}
	return nil
}

// hide has the veil hide what is to be hidden in the body of r.
func (tx *Tx) hide(r *Record, body *Body) error {
	if tx.veil == nil {
		return nil
	}
	hidden, err := tx.veil.Hide(tx, r.Kind, r.Session, *body)
	if err != nil {
		return tx.fail(fmt.Errorf("%s: %w", r.Kind, err))
	}
	if !bytes.Equal(hidden.text, body.text) {
		*body = hidden
		if r.Body, err = hidden.Value(); err != nil {
			return tx.fail(fmt.Errorf("%s: %w", r.Kind, err))
		}
	}
	return nil
}

var errOver = errors.New("journal: the update is over; a Tx must not be kept")

// usable returns the error that further steps must return, or nil.
func (tx *Tx) usable() error {
	if tx.over {
		return errOver
	}
	return tx.err
}

// fail keeps the first error, and returns err for the caller of the step.
func (tx *Tx) fail(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("journal: update dropped: %w", err)
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// layer is a set of pending writes in the order of their keys.
type layer []Write

func (l layer) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(l, key, func(w Write, key []byte) int { return bytes.Compare(w.Key, key) })
}

func (l *layer) set(w Write) {
	i, ok := l.find(w.Key)
	if ok {
		(*l)[i] = w
		return
	}
	*l = slices.Insert(*l, i, w)
}

// merge adds the writes of another layer, in one backward pass: they are few, and
// each later entry moves at most once.
func (l *layer) merge(more layer) {
	fresh := 0
	for _, w := range more {
		if i, ok := l.find(w.Key); ok {
			(*l)[i] = w
		} else {
			fresh++
		}
	}
	if fresh == 0 {
		return
	}
	n := len(*l)
	all := slices.Grow(*l, fresh)[:n+fresh]
	for i := len(more) - 1; fresh > 0; i-- {
		at, ok := all[:n].find(more[i].Key)
		if ok {
			continue // merged already
		}
		copy(all[at+fresh:], all[at:n])
		n = at
		fresh--
		all[at+fresh] = more[i]
	}
	*l = all
}

// between returns the writes from lo to hi; nil means unbounded.
func (l layer) between(lo, hi []byte) layer {
	i, _ := l.find(lo)
	j := len(l)
	if hi != nil {
		j, _ = l.find(hi)
	}
	return l[i:max(i, j)]
}

// overlay returns a copy of the writes below, with those on top over them.
func overlay(below, top layer) layer {
	out := slices.Clone(below)
	for _, w := range top {
		out.set(w)
	}
	return out
}
