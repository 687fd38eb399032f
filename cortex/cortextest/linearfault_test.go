package cortextest

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// fault is one of the bugs that are put into the engine under test, or into its
// gateways, so that the check has something to find. Those of the engine stand
// between it and its store, where a bug of its own would have the same effect.
type fault string

// The faults of the negative controls.
const (
	faultNoBegin    fault = "an agent acts on a decision without taking a permit"
	faultTwoNames   fault = "a gateway knows the same person under two names, and a quorum counts both"
	faultCachedRead fault = "a gateway shows a card as it was when it last looked"
	faultSlowClock  fault = "the clock stands still, and what has expired is approved"
	faultReused     fault = "a grant is consumed without compare-and-set"
	faultLostDeny   fault = "a no is acknowledged and not kept"
	faultRaised     fault = "what was withdrawn comes back"
	faultSuperseded fault = "a card that an edit has replaced still takes answers"
	faultUsedAgain  fault = "a decision gives a permit as often as it is asked"
	faultTwoResults fault = "an intent takes a second receipt"
	faultNoDoubt    fault = "nobody remembers what is in doubt"
	faultForgetful  fault = "dedupe keys are kept in memory alone"
	faultLostLast   fault = "a restart loses what was acknowledged last"
)

var linearFaults = []fault{
	faultNoBegin, faultTwoNames, faultCachedRead, faultSlowClock, faultReused, faultLostDeny, faultRaised, faultSuperseded,
	faultUsedAgain,
	faultTwoResults, faultNoDoubt, faultForgetful, faultLostLast,
}

// drops says which writes a fault does not carry out.
func (f fault) drops(w journal.Write) bool {
	is := func(state cortex.ApprovalState) bool {
		return w.Key[0] == byte(record.TableApproval) && bytes.Contains(w.Value, []byte(`:state "`+string(state)+`"`))
	}
	switch f {
	case faultReused:
		return is(cortex.Consumed) || w.Key[0] == byte(record.TableGrant) && w.Value == nil
	case faultLostDeny:
		return is(cortex.Denied)
	case faultSuperseded:
		return is(cortex.Superseded)
	case faultUsedAgain:
		return w.Key[0] == byte(record.TableUsed)
	case faultNoDoubt:
		return w.Key[0] == byte(record.TableDoing)
	case faultTwoResults:
		return w.Key[0] == byte(record.TableIntent) && w.Value == nil
	case faultRaised:
		return is(cortex.Withdrawn)
	}
	return false
}

// faulty is a store with a fault.
type faulty struct {
	journal.Store
	fault fault

	mu   sync.RWMutex
	last []journal.Write   // that a restart will lose
	keys map[string][]byte // that a restart will forget
}

func withFault(f fault) func(*Machine) {
	return hooked(func(s journal.Store) journal.Store { return &faulty{Store: s, fault: f, keys: map[string][]byte{}} })
}

// Commit carries out a commit, but for the fault.
func (s *faulty) Commit(writes []journal.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	writes = slices.DeleteFunc(slices.Clone(writes), func(w journal.Write) bool {
		mine := s.fault == faultForgetful && w.Key[0] == byte(record.TableDedupe)
		if mine {
			s.keys[string(w.Key)] = bytes.Clone(w.Value)
		}
		return mine || s.fault.drops(w)
	})
	if s.fault == faultLostLast { // all but the indexes that an engine starts with
		if err := s.flush(); err != nil {
			return err
		}
		s.last = cloned(writes)
		for _, w := range writes {
			s.keys[string(w.Key)] = bytes.Clone(w.Value)
		}
		return nil
	}
	if len(writes) == 0 {
		return nil
	}
	return s.Store.Commit(writes)
}

// flush carries out what was acknowledged before. The caller holds mu.
func (s *faulty) flush() error {
	if s.last == nil {
		return nil
	}
	clear(s.keys)
	err := s.Store.Commit(s.last)
	s.last = nil
	return err
}

// Get returns what the store has, and what it will not have.
func (s *faulty) Get(key []byte) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if v, ok := s.keys[string(key)]; ok {
		return bytes.Clone(v), nil
	}
	return s.Store.Get(key)
}

// Ten bugs and more are put in, one after another. The check finds each within a
// few short histories, and nothing where there is none.
func TestLinear_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for _, f := range append(linearFaults, "") {
		t.Run(string(f), func(t *testing.T) {
			dir := ""
			if f == "" || f == faultForgetful || f == faultLostLast { // shows itself at a restart
				dir = t.TempDir()
			}
			for seed := range uint64(map[bool]int{true: 1, false: 10}[f == ""]) {
				if dir != "" {
					dir = t.TempDir()
				}
				p := &players{t: t, b: linearBench(t, dir, withFault(f)), fault: f}
				wrong := p.run(2500, 1+seed)
				p.b.m.Close()
				if len(wrong) > 0 {
					require.NotEmpty(t, f, "%s", wrong[0])
					t.Logf("RESULT control=%q found-by=linear seed=%d: %s", f, 1+seed, wrong[0])
					return
				}
			}
			assert.Empty(t, f, "not found")
		})
	}
}
