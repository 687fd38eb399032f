package journal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
)

// Store is the ordered, durable map under a journal. cortex/store has one on
// Pebble. It is used by one writer and many readers.
type Store interface {
	// Get returns a copy of the durable value under key, and nil without error if
	// there is none.
	Get(key []byte) ([]byte, error)
	// Scan calls f with each key from lo (inclusive) to hi (exclusive; nil: to
	// the end) in order until f returns false. Slices are valid only during the
	// call. It sees the entries that were durable when it began.
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
	// Commit applies all writes atomically, in order, and returns when they are
	// durable. [ErrFull] means that there is no space for them: nothing was
	// written, and later commits may succeed. After any other error the store
	// accepts no more writes. Commit does not keep the slices, unless it returns
	// such an error.
	Commit(writes []Write) error
	// Room returns [ErrFull], with details, while there is too little space to
	// admit new work, or nil. Commit may still succeed then: the remaining space
	// is for finishing work.
	Room() error
	// Err returns why the store accepts no more writes, or nil.
	Err() error
	Close() error
}

// Write sets Key to Value, or deletes Key if Value is nil.
type Write struct{ Key, Value []byte }

// Record is one entry of the journal.
type Record struct {
	Seq     uint64       // from 1, without gaps
	Kind    string       // "signal", "decision", "approval", "intent", "receipt", "rulebook", ...
	At      int64        // wall clock, Unix nanoseconds; order is by Seq, never by time
	Session string       // "" if none applies
	Body    sexpr.Value  // a plist, its keys in canonical order
	Prev    sexpr.Digest // hash of the record before; zero for the first
	Hash    sexpr.Digest // of Prev and everything above
}

// Head names the newest record of a journal: its number and its hash, which
// covers all records before it too. The zero Head is that of an empty journal.
type Head struct {
	Seq  uint64
	Hash sexpr.Digest
}

// String writes the head as NUMBER@sha256:..., to be kept elsewhere.
func (h Head) String() string { return fmt.Sprintf("%d@%s", h.Seq, h.Hash) }

// ParseHead reads the output of [Head.String]. Other text is an error.
func ParseHead(s string) (h Head, err error) {
	number, hash, ok := strings.Cut(s, "@")
	h.Seq, err = strconv.ParseUint(number, 10, 64)
	if err == nil && ok {
		h.Hash, err = sexpr.ParseDigest(hash)
	}
	if err != nil || !ok {
		return h, fmt.Errorf("%.100q: expected NUMBER@sha256:HEX", s)
	}
	return h, nil
}

var (
	// ErrReadOnly is returned by updates after the store has failed. The cause
	// is wrapped beside it.
	ErrReadOnly = errors.New("journal is read-only")
	// ErrUnsure says that it is unknown whether an update was written: its commit
	// was in progress when the store failed, or when the caller stopped waiting.
	// Read to find out; after a failure of the store, reopen it first.
	ErrUnsure = errors.New("the update may or may not have been written")
	// ErrFull says that there is no space on the disk. Nothing was written, and
	// the same may succeed as soon as there is space.
	ErrFull = errors.New("no space left for the journal")
	// ErrNotFound is returned for a record that does not exist.
	ErrNotFound = errors.New("no such record")
	// ErrClosed is returned by a journal that has been closed.
	ErrClosed = errors.New("journal is closed")
)

// Options configures a journal. The zero value is ready to use.
type Options struct {
	// Clock gives the time of records; nil means time.Now.
	Clock func() time.Time
	// Queue is how many updates may wait for the writer before further callers
	// block; 0 means 1024.
	Queue int
	// Group bounds the updates of one commit; 0 means 256.
	Group int
	// Veil hides parts of the records from the store; nil hides nothing.
	Veil Veil
}

// Journal is a chain of records, with its users' own entries beside them. It is
// safe for concurrent use.
type Journal struct {
	store Store
	opt   Options

	entry  sync.RWMutex // held for reading while a request enters the queue; never by the writer
	closed atomic.Bool  // set under entry
	queue  chan *request
	end    chan struct{} // closed when the writer has ended

	dead atomic.Pointer[error] // why updates have ended

	bounds atomic.Pointer[boundary] // as it was last read or written; see boundaryOf

	mu      sync.Mutex
	head    Head          // the newest durable record
	changed chan struct{} // closed when head moves
}

// Open opens the journal in store. It returns a [*Damage] if the last 64 records of
// the chain are damaged; [Journal.Verify] checks all of them. An empty store becomes
// an empty journal. The journal owns store from now on, unless Open fails.
func Open(store Store, opt Options) (*Journal, error) {
	if opt.Queue < 0 || opt.Group < 0 {
		return nil, fmt.Errorf("journal: Options.Queue is %d and Options.Group is %d: want 0 for the default, or more",
			opt.Queue, opt.Group)
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Queue == 0 {
		opt.Queue = 1024
	}
	if opt.Group == 0 {
		opt.Group = 256
	}
	head, err := begin(store)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{
		store: store, opt: opt, head: head,
		queue: make(chan *request, opt.Queue), end: make(chan struct{}), changed: make(chan struct{}),
	}
	go j.write()
	return j, nil
}

// Close writes the waiting updates, ends the writer and, after the last reader,
// closes the store. Later updates return [ErrClosed]. It must not be called from
// inside an update or a read.
func (j *Journal) Close() error {
	j.entry.Lock()
	if j.closed.Swap(true) {
		j.entry.Unlock()
		<-j.end
		return nil
	}
	close(j.queue)
	j.entry.Unlock()
	<-j.end
	return j.store.Close()
}

// Err returns why the journal accepts no more updates: [ErrReadOnly] with the
// cause once the store has failed, [ErrClosed] after Close, or nil.
func (j *Journal) Err() error {
	if j.closed.Load() && j.dead.Load() == nil {
		return ErrClosed
	}
	return j.broken()
}

// broken returns why the journal is read-only, or nil.
func (j *Journal) broken() error {
	if dead := j.dead.Load(); dead != nil {
		return *dead
	}
	if err := j.store.Err(); err != nil {
		return readOnly(err)
	}
	return nil
}

// Room returns [ErrFull], with details, while there is too little space to admit
// new work, or nil. The journal recovers by itself when there is space.
func (j *Journal) Room() error { return j.store.Room() }

func readOnly(cause error) error { return fmt.Errorf("%w: %w", ErrReadOnly, cause) }

// die makes the journal read-only. The first cause counts.
func (j *Journal) die(cause error) {
	err := readOnly(cause)
	j.dead.CompareAndSwap(nil, &err)
}

// Head returns the newest durable record's number and hash.
func (j *Journal) Head() Head {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.head
}

// Last returns the newest durable record's number, 0 if there is none.
func (j *Journal) Last() uint64 { return j.Head().Seq }

// Waiting returns how many updates wait for the writer.
func (j *Journal) Waiting() int { return len(j.queue) }

// Get returns a copy of the durable value under key, nil if there is none.
func (j *Journal) Get(key []byte) ([]byte, error) { return j.store.Get(key) }

// Scan calls f with each durable entry from lo (inclusive) to hi (exclusive;
// nil: to the end) in order until f returns false. Slices are valid only during
// the call; concurrent writes are not seen.
func (j *Journal) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	return j.store.Scan(lo, hi, f)
}

// Read returns one durable record. It returns [ErrNotFound] if there is no such
// record, [ErrRemoved] if retention removed it, and a [*Damage] if it is damaged.
func (j *Journal) Read(seq uint64) (Record, error) {
	r, err := read(j.store, seq, &j.bounds)
	return shown(j.opt.Veil, j.store, r, err)
}

// read returns a record, or an error that says why it is missing.
func read(from Getter, seq uint64, bounds *atomic.Pointer[boundary]) (Record, error) {
	r, err := raw(from, seq)
	if !errors.Is(err, ErrNotFound) {
		return r, err
	}
	b, lost := boundaryOf(from, bounds)
	switch {
	case lost != nil:
		return r, lost
	case b.removed(seq):
		return r, fmt.Errorf("journal: record %d: %w", seq, ErrRemoved)
	case seq > 0 && seq <= b.to.Seq:
		return r, damage(seq, "it is missing; retention kept it")
	}
	return r, err
}

// raw returns a record as it is stored.
func raw(from Getter, seq uint64) (Record, error) {
	raw, err := from.Get(recordKey(seq))
	switch {
	case err != nil:
		return Record{}, fmt.Errorf("journal: record %d: %w", seq, err)
	case raw == nil:
		return Record{}, fmt.Errorf("journal: record %d: %w", seq, ErrNotFound)
	}
	return decodeAt(seq, raw)
}

// Records calls f with each durable record from the one numbered from, in
// order, until there are no more or f returns an error, which Records returns.
// It returns a [*Damage] if the chain is broken. It skips records that retention
// removed.
func (j *Journal) Records(from uint64, f func(Record) error) error {
	return j.walk(context.Background(), from, func(r Record) error {
		r, err := shown(j.opt.Veil, j.store, r, nil)
		if err != nil {
			return err
		}
		return f(r)
	})
}
