package cortextest

// Stands before the store of a tortured engine: named points at which it may be
// killed, and the faults that the harness has to find.

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// The faults of the negative controls.
const (
	faultEarlyAck = "ack-before-sync"
	faultBytes    = "skip-the-digest"
	faultReuse    = "consume-without-compare-and-set"
	faultActFirst = "execute-before-intent"
	faultNoClaim  = "forget-what-is-made-up-for"
	faultNoWake   = "forget-to-wake-a-run"
)

var faults = []string{faultEarlyAck, faultBytes, faultReuse, faultActFirst, faultNoClaim, faultNoWake}

// symptoms are what each fault shows itself by.
var symptoms = map[string]string{
	faultEarlyAck: "lost|written anew|now \\d+$|effect without an intent|done twice|made up for",
	faultBytes:    "other bytes",
	faultReuse:    "was used by intents|was consumed|which the record does not say",
	faultActFirst: "effect without an intent|done twice",
	faultNoClaim:  "made up for",
	faultNoWake:   "a wake-up is lost",
}

// points is a store that says what is about to be written and what has been.
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

// reuse forgets that a grant was used.
func reuse(st journal.Store) journal.Store { return dropping{st, faultReused.drops} }

// lazy says that a commit is durable, and makes it so when the next one comes.
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
	return firstErr(s.Store.Commit(s.waiting), s.Store.Close())
}

func firstErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// dropping is a store that does not carry out some writes.
type dropping struct {
	journal.Store
	drop func(journal.Write) bool
}

func (s dropping) Commit(writes []journal.Write) error {
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), s.drop))
}

// sleepy is a store that forgets to wake the runs that wait for an answer.
type sleepy struct{ journal.Store }

func (s sleepy) Commit(writes []journal.Write) error {
	if !slices.Contains(kindsIn(writes), record.KindApproval) {
		return s.Store.Commit(writes)
	}
	wakes := func(w journal.Write) bool { return len(w.Value) == 16 && w.Key[0] == byte(record.TableUnanswered) }
	return s.Store.Commit(slices.DeleteFunc(slices.Clone(writes), wakes))
}

// wrapped is the store of a tortured engine with a fault, or none.
func wrapped(fault string, reach func(string)) func(journal.Store) journal.Store {
	return func(st journal.Store) journal.Store {
		switch fault {
		case faultReuse:
			st = reuse(st)
		case faultEarlyAck:
			st = &lazy{Store: st}
		case faultNoClaim:
			st = dropping{st, func(w journal.Write) bool { return w.Key[0] == byte(record.TableCompensation) }}
		case faultNoWake:
			st = sleepy{st}
		}
		return points{st, reach}
	}
}
