package record

import (
	"bytes"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// VersionCache is a store that remembers what was last read or written of one table: the
// versions of sessions and principals, which every decision reads twice. It may show a
// commit a moment late but never early. At worst, a caller that relied on it learns that
// the version has changed.
type VersionCache struct {
	journal.Store
	table byte // the first byte of the keys
	most  int  // entries

	mu      sync.Mutex
	known   map[string][]byte // nil: there is none
	bytes   int               // of the keys in known
	commits uint64
}

// averageKey is how many bytes a key may have on average. With longer keys the cache
// remembers fewer entries.
const averageKey = 128

// NewVersionCache remembers at most so many entries of the table whose keys begin with
// this byte.
func NewVersionCache(st journal.Store, table byte, most int) *VersionCache {
	return &VersionCache{Store: st, table: table, most: most, known: map[string][]byte{}}
}

// Get implements [journal.Store].
func (r *VersionCache) Get(key []byte) ([]byte, error) {
	if len(key) == 0 || key[0] != r.table {
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
func (r *VersionCache) Commit(writes []journal.Write) error {
	if err := r.Store.Commit(writes); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
	for _, w := range writes {
		if len(w.Key) > 0 && w.Key[0] == r.table {
			r.remember(w.Key, w.Value)
		}
	}
	return nil
}

func (r *VersionCache) remember(key, value []byte) {
	if _, ok := r.known[string(key)]; !ok {
		if len(r.known) >= r.most || r.bytes+len(key) > r.most*averageKey {
			clear(r.known) // those in use are back at once
			r.bytes = 0
		}
		r.bytes += len(key)
	}
	r.known[string(key)] = bytes.Clone(value)
}
