package record

import (
	"bytes"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// Lately is a store that remembers what was last read or written of some tables: the
// versions of sessions and principals, which every decision reads twice, and the heads of
// logs, which every call about a run reads. It may show a commit a moment late but never
// early, and never once the commit has returned. At worst, a caller that relied on it
// learns that the entry has changed.
type Lately struct {
	journal.Store
	tables []byte // the first bytes of the keys
	most   int    // entries

	mu      sync.Mutex
	known   map[string][]byte // nil: there is none
	bytes   int               // of the keys and values in known
	commits uint64
}

// averageEntry is how many bytes an entry may have on average. Of longer ones fewer are remembered.
const averageEntry = 256

// NewLately remembers at most so many entries of the tables whose keys begin with these
// bytes.
func NewLately(st journal.Store, most int, tables ...byte) *Lately {
	return &Lately{Store: st, tables: tables, most: most, known: map[string][]byte{}}
}

func (r *Lately) minds(key []byte) bool {
	return len(key) > 0 && bytes.IndexByte(r.tables, key[0]) >= 0
}

// Get implements [journal.Store].
func (r *Lately) Get(key []byte) ([]byte, error) {
	if !r.minds(key) {
		return r.Store.Get(key)
	}
	r.mu.Lock()
	value, ok := r.known[string(key)]
	before := r.commits
	r.mu.Unlock()
	if ok {
		return bytes.Clone(value), nil
	}
	value, err := r.Store.Get(key)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.commits == before { // else it may be what a commit has just replaced
		r.remember(key, value)
	}
	return value, nil
}

// Commit implements [journal.Store].
func (r *Lately) Commit(writes []journal.Write) error {
	if err := r.Store.Commit(writes); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
	for _, w := range writes {
		if r.minds(w.Key) {
			r.remember(w.Key, w.Value)
		}
	}
	return nil
}

func (r *Lately) remember(key, value []byte) {
	if old, ok := r.known[string(key)]; ok {
		r.bytes -= len(key) + len(old)
		delete(r.known, string(key))
	}
	if len(r.known) >= r.most || r.bytes+len(key)+len(value) > r.most*averageEntry {
		clear(r.known) // those in use are back at once
		r.bytes = 0
	}
	r.bytes += len(key) + len(value)
	r.known[string(key)] = bytes.Clone(value)
}
