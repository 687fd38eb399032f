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
	// Get returns a copy of the value under key, and nil without error if there
	// is none. It sees what is durable, and nothing else.
	Get(key []byte) ([]byte, error)
	// Scan calls f with each key from lo (inclusive) to hi (exclusive; nil: to
	// the end) in order until f returns false. Slices are valid only during the
	// call. It sees what was durable when it began.
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
	// Commit applies all writes atomically, in order, and returns when they are
	// durable. [ErrFull] means that there is no space for them: nothing was
	// written, and later commits may succeed. After any other error the store
	// takes no more writes. It keeps none of the slices when it has returned,
	// unless with such an error.
	Commit(writes []Write) error
	// Room returns [ErrFull], with what is known about it, while space is too
	// scarce to begin anything new, or nil. Commit may still succeed then: what
	// is left is for finishing what was begun.
	Room() error
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
	Body    sexpr.Value  // a plist, its keys in canonical order
	Prev    sexpr.Digest // hash of the record before; zero for the first
	Hash    sexpr.Digest // of Prev and everything above
}

// Head names the newest record of a journal: its number and its hash, which
// stands for all records before it too. The zero Head is that of an empty
// journal.
type Head struct {
	Seq  uint64
	Hash sexpr.Digest
}

// String writes the head as people keep it elsewhere: NUMBER@sha256:...
func (h Head) String() string { return fmt.Sprintf("%d@%s", h.Seq, h.Hash) }

// ParseHead reads what [Head.String] wrote.
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
	// ErrUnsure says that nobody can know whether an update was written: it was
	// being made durable when the store failed, or when the caller gave up
	// waiting. Reading, after opening anew where the store failed, tells.
	ErrUnsure = errors.New("the update may or may not have been written")
	// ErrFull says that there is no space on the disk. Nothing was written, and
	// the same may succeed as soon as there is space.
	ErrFull = errors.New("no space left for the journal")
	// ErrNotFound is returned for a record that does not exist.
	ErrNotFound = errors.New("no such record")
	// ErrClosed is returned by a journal that has been closed.
	ErrClosed = errors.New("journal is closed")
)

// Options says how a journal is to run. The zero value is ready to use.
type Options struct {
	// Clock tells the time of records; nil means time.Now.
	Clock func() time.Time
	// Queue is how many updates wait for the writer before callers wait to get
	// in; 0 means 1024.
	Queue int
	// Group is how many updates one commit makes durable at most; 0 means 256.
	Group int
}

// Journal is a chain of records with whatever its users keep beside them. It is
// safe for concurrent use.
type Journal struct {
	store Store
	opt   Options

	entry  sync.RWMutex // held for reading while a request enters the queue; never by the writer
	closed atomic.Bool  // set under entry
	queue  chan *request
	end    chan struct{} // closed when the writer has ended

	dead atomic.Pointer[error] // why there are no more updates

	bounds atomic.Pointer[boundary] // as it was last read or written; see boundaryOf

	mu      sync.Mutex
	head    Head          // what is durable
	changed chan struct{} // closed when head moves
}

// Open takes the journal in store into use. An empty store becomes an empty
// journal. Open checks the end of the chain, 64 records of it, and returns a
// [*Damage] if something is wrong there; [Journal.Verify] checks all of it. The
// journal owns store from now on, except if Open fails.
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

// Close lets the updates that wait be written, ends the writer and closes the
// store, once nobody reads from it any more. Updates that come later return
// [ErrClosed]. It must not be called from inside an update or a read.
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

// Err returns why the journal takes no more updates: [ErrReadOnly] with the
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

// Room returns [ErrFull], with what is known about it, while there is too little
// space to begin anything new, or nil. It passes by itself when there is space.
func (j *Journal) Room() error { return j.store.Room() }

func readOnly(cause error) error { return fmt.Errorf("%w: %w", ErrReadOnly, cause) }

// die makes the journal read-only, for the first cause it hears.
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

// Waiting is how many updates wait for the writer.
func (j *Journal) Waiting() int { return len(j.queue) }

// Get returns a copy of the durable value under key, nil if there is none.
func (j *Journal) Get(key []byte) ([]byte, error) { return j.store.Get(key) }

// Scan calls f with each durable entry from lo (inclusive) to hi (exclusive;
// nil: to the end) in order until f returns false. Slices are valid only during
// the call; what is written meanwhile is not seen.
func (j *Journal) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	return j.store.Scan(lo, hi, f)
}

// Read returns one durable record. It returns [ErrNotFound] if there is no such
// record, [ErrRemoved] if retention removed it, and a [*Damage] if it is not what was written.
func (j *Journal) Read(seq uint64) (Record, error) { return read(j.store, seq, &j.bounds) }

// getter is what Store and Tx have in common.
type getter interface {
	Get(key []byte) ([]byte, error)
}

// read returns a record, and tells apart why one is not there.
func read(from getter, seq uint64, bounds *atomic.Pointer[boundary]) (Record, error) {
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
func raw(from getter, seq uint64) (Record, error) {
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
// It returns a [*Damage] where the chain is broken. Records that retention
// removed are passed over.
func (j *Journal) Records(from uint64, f func(Record) error) error {
	return j.walk(context.Background(), from, f)
}
