package store

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
)

// view is what readers see: the store as the last commit left it that was
// synced. Pebble alone would show a commit before it is on disk.
type view struct {
	snap *pebble.Snapshot
	refs int // readers, and one while it is the store's current view
}

// look makes what was last synced visible, if the store is still in use: it
// runs beside the one who gave up waiting because the store died.
func (s *store) look() {
	fresh := &view{snap: s.db.NewSnapshot(), refs: 1}
	s.mu.Lock()
	old := fresh
	if !s.closed && s.death.Err() == nil {
		old, s.view = s.view, fresh
	}
	s.mu.Unlock()
	if old != nil {
		s.release(old)
	}
}

// pin returns the current view, to be unpinned.
func (s *store) pin() (*view, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	s.view.refs++
	s.readers++
	return s.view, nil
}

func (s *store) unpin(v *view) {
	s.release(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers--; s.readers == 0 {
		s.idle.Broadcast()
	}
}

// release gives back one reference. The snapshots of a dead store stay, because
// closing them might wait for a goroutine that is parked.
func (s *store) release(v *view) {
	s.mu.Lock()
	v.refs--
	last := v.refs == 0
	s.mu.Unlock()
	if last && s.death.Err() == nil {
		_ = v.snap.Close() // it has no error to return
	}
}

// Get implements journal.Store.
func (s *store) Get(key []byte) (value []byte, err error) {
	v, err := s.pin()
	if err != nil {
		return nil, wrap(err)
	}
	defer s.unpin(v)
	defer func() {
		if p := recover(); p != nil {
			err = wrap(s.death.Panicked(p))
		}
	}()
	if len(key) == 0 || key[0] == tables.Own {
		return nil, nil
	}
	raw, closer, err := v.snap.Get(key)
	switch {
	case errors.Is(err, pebble.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, wrap(err)
	}
	value = append(make([]byte, 0, len(raw)), raw...) // not nil, even if it is empty
	return value, wrap(closer.Close())
}

// Scan implements journal.Store.
func (s *store) Scan(lo, hi []byte, f func(key, value []byte) bool) (err error) {
	v, err := s.pin()
	if err != nil {
		return wrap(err)
	}
	defer s.unpin(v)
	if len(lo) == 0 || lo[0] == tables.Own {
		lo = []byte{tables.Own + 1}
	}
	if hi != nil && bytes.Compare(lo, hi) >= 0 {
		return nil
	}
	inside := true // Pebble, not f, whose panics are for its caller
	defer func() {
		if !inside {
			return
		}
		if p := recover(); p != nil {
			err = wrap(s.death.Panicked(p))
		}
	}()
	it, err := v.snap.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return wrap(err)
	}
	defer func() { err = wrap(errors.Join(err, it.Close())) }() // Close repeats what stopped the iteration
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		inside = false
		going := f(it.Key(), value)
		inside = true
		if !going {
			break
		}
	}
	return it.Error()
}
