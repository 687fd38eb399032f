package cortextest

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// Points returns a store that says when a commit is about to happen and when it has, for tests
// that kill an engine there: reach is called with "before-" and "after-" and each kind of record
// in the commit.
func Points(st journal.Store, reach func(point string)) journal.Store { return points{st, reach} }

// AckEarly returns a store that says that a commit is durable, and makes it so when the next one
// comes. A harness that kills engines has to find it.
func AckEarly(st journal.Store) journal.Store { return &lazy{Store: st} }

type points struct {
	journal.Store
	reach func(point string)
}

func (p points) Commit(writes []journal.Write) error {
	kinds := kindsIn(writes)
	for _, k := range kinds {
		p.reach("before-" + k)
	}
	err := p.Store.Commit(writes)
	for _, k := range kinds {
		p.reach("after-" + k)
	}
	return err
}

type lazy struct {
	journal.Store
	mu      sync.RWMutex
	waiting []journal.Write
	values  map[string][]byte
}

func (s *lazy) Commit(writes []journal.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting != nil {
		if err := s.Store.Commit(s.waiting); err != nil {
			return err
		}
	}
	s.waiting, s.values = cloned(writes), map[string][]byte{}
	for _, w := range s.waiting {
		s.values[string(w.Key)] = w.Value
	}
	return nil
}

// cloned is a copy for anyone who keeps what is written.
func cloned(writes []journal.Write) []journal.Write {
	own := make([]journal.Write, len(writes))
	for i, w := range writes {
		own[i] = journal.Write{Key: bytes.Clone(w.Key), Value: bytes.Clone(w.Value)}
	}
	return own
}

func (s *lazy) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if v, ok := s.values[string(key)]; ok {
		return bytes.Clone(v), nil
	}
	return s.Store.Get(key)
}

func (s *lazy) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	s.mu.RLock()
	all := map[string][]byte{}
	err := s.Store.Scan(lo, hi, func(k, v []byte) bool {
		all[string(k)] = bytes.Clone(v)
		return true
	})
	for k, v := range s.values {
		if k < string(lo) || hi != nil && k >= string(hi) {
			continue
		}
		if all[k] = v; v == nil {
			delete(all, k)
		}
	}
	s.mu.RUnlock()
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if !f([]byte(k), all[k]) {
			break
		}
	}
	return err
}

func (s *lazy) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return s.Store.Close()
	}
	return errors.Join(s.Store.Commit(s.waiting), s.Store.Close())
}
