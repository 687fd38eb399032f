// Package journal is the append-only, hash-chained record of all that Cortex
// sees and does, and the one place where its state changes.
package journal

import (
	"context"

	"github.com/opencortex-go/cortex/sexpr"
)

// Store is the ordered, durable map under a journal. cortex/store has one on
// Pebble. It is used by one writer and many readers.
type Store interface {
	// Get returns a copy of the value under key, and nil without error if there
	// is none.
	Get(key []byte) ([]byte, error)
	// Scan calls f with each key from lo (inclusive) to hi (exclusive) in
	// order until f returns false. Slices are valid only during the call.
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
	// Commit applies all writes atomically, in order, and returns when they are
	// durable. After an error the store takes no more writes.
	Commit(writes []Write) error
	// Err returns why the store takes no more writes, or nil.
	Err() error
	Close() error
}

// Write sets Key to Value, or deletes Key where Value is nil.
type Write struct{ Key, Value []byte }

// Record is one entry of the journal.
type Record struct {
	Seq     uint64       // from 1, without gaps
	Kind    string       // "signal", "decision", "approval", "intent", "receipt", "rulebook", ...
	At      int64        // wall clock, Unix nanoseconds; order is by Seq, never by time
	Session string       // "" where none applies
	Body    sexpr.Value  // a plist
	Prev    sexpr.Digest // hash of the record before
	Hash    sexpr.Digest // of Prev and everything above
}

// Tx is one update inside the single writer. It sees what earlier updates wrote,
// committed or in the same group. It must not be kept after the update's
// function returns.
type Tx struct{}

// Get, Scan, Set, Delete, Append — see the helper's implementation.
var _ = context.Background
