package journal

import (
	"bytes"
	"context"
	"iter"
)

// View is a read-only view of a journal: of its records as they are stored, with what is
// hidden in them hidden. It is safe for concurrent use.
// [Journal.View] makes one; the zero View is not usable.
type View struct{ j *Journal }

// View returns a read-only view of the journal.
func (j *Journal) View() View { return View{j} }

// Read is [Journal.Read].
func (v View) Read(seq uint64) (Record, error) { return read(v.j.store, seq, &v.j.bounds) }

// Get returns a copy of the durable value under key, nil if there is none.
func (v View) Get(key []byte) ([]byte, error) { return v.j.Get(key) }

// Records is [Journal.Records].
func (v View) Records(from uint64, f func(Record) error) error {
	return v.j.walk(context.Background(), from, f)
}

// Subscribe is [Journal.Subscribe].
func (v View) Subscribe(ctx context.Context, from uint64) iter.Seq2[Record, error] {
	return v.j.subscribe(ctx, from, v.Records)
}

// Verify is [Journal.Verify].
func (v View) Verify(ctx context.Context, seen ...Head) error { return v.j.Verify(ctx, seen...) }

// VerifyFrom is [Journal.VerifyFrom].
func (v View) VerifyFrom(ctx context.Context, from uint64, seen ...Head) error {
	return v.j.VerifyFrom(ctx, from, seen...)
}

// Retained is [Journal.Retained].
func (v View) Retained() (to Head, kept []Span, err error) { return v.j.Retained() }

// Head is [Journal.Head].
func (v View) Head() Head { return v.j.Head() }

// Last is [Journal.Last].
func (v View) Last() uint64 { return v.j.Last() }

// Scan is [Journal.Scan] with copied slices, so that writing into them does not
// reach the store's caches.
func (v View) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	return v.j.Scan(lo, hi, func(key, value []byte) bool { return f(bytes.Clone(key), bytes.Clone(value)) })
}
