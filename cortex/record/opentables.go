package record

import (
	"bytes"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// OpenTables is a store that also keeps some tables in memory: those that say what is
// open. They are small, and every decision reads them. On disk, what was once open leaves
// traces that a scan must skip until compaction removes them. A commit updates the disk
// and then memory before it returns.
type OpenTables struct {
	journal.Store
	tables []byte // the first bytes of the keys that are kept

	mu      sync.RWMutex
	entries []entryOf // sorted by key
}

type entryOf struct{ key, value []byte }

// NewOpenTables reads the tables that are to be kept.
func NewOpenTables(st journal.Store, tables ...byte) (*OpenTables, error) {
	m := &OpenTables{Store: st, tables: slices.Sorted(slices.Values(tables))}
	for _, t := range m.tables {
		err := st.Scan([]byte{t}, After([]byte{t}), func(k, v []byte) bool {
			m.entries = append(m.entries, entryOf{bytes.Clone(k), bytes.Clone(v)})
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *OpenTables) keeps(key []byte) bool {
	return len(key) > 0 && bytes.IndexByte(m.tables, key[0]) >= 0
}

func (m *OpenTables) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(m.entries, key, func(e entryOf, k []byte) int { return bytes.Compare(e.key, k) })
}

// Get implements [journal.Store].
func (m *OpenTables) Get(key []byte) ([]byte, error) {
	if !m.keeps(key) {
		return m.Store.Get(key)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if i, ok := m.find(key); ok {
		return bytes.Clone(m.entries[i].value), nil
	}
	return nil, nil
}

// Scan implements [journal.Store]. A scan of a kept table stays inside it: no
// caller goes from one table to another.
func (m *OpenTables) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	if !m.keeps(lo) || hi == nil || hi[0] != lo[0] && !bytes.Equal(hi, []byte{lo[0] + 1}) {
		return m.Store.Scan(lo, hi, f)
	}
	m.mu.RLock()
	from, _ := m.find(lo)
	to, _ := m.find(hi)
	found := slices.Clone(m.entries[from:max(from, to)]) // f may ask for more, and take its time
	m.mu.RUnlock()
	for _, e := range found {
		if !f(e.key, e.value) {
			break
		}
	}
	return nil
}

// Commit implements [journal.Store].
func (m *OpenTables) Commit(writes []journal.Write) error {
	if err := m.Store.Commit(writes); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range writes {
		if !m.keeps(w.Key) {
			continue
		}
		i, ok := m.find(w.Key)
		switch {
		case ok && w.Value == nil:
			m.entries = slices.Delete(m.entries, i, i+1)
		case ok: // scans that are under way keep the old entry
			m.entries[i] = entryOf{m.entries[i].key, bytes.Clone(w.Value)}
		case w.Value != nil:
			m.entries = slices.Insert(m.entries, i, entryOf{bytes.Clone(w.Key), bytes.Clone(w.Value)})
		}
	}
	return nil
}
