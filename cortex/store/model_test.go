package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// model is what a store must hold: the slow and obvious reference.
type model struct {
	mu   sync.Mutex
	now  map[string]string // all that was acknowledged
	next map[string]string // and what is being committed; nil if nothing is
}

// commit has a store and the model do the same.
func (m *model) commit(s journal.Store, writes []journal.Write) error {
	next := maps.Clone(m.now)
	for _, w := range writes {
		if w.Value == nil {
			delete(next, string(w.Key))
		} else {
			next[string(w.Key)] = string(w.Value)
		}
	}
	m.mu.Lock()
	m.next = next
	m.mu.Unlock()
	err := s.Commit(writes)
	if err == nil {
		m.mu.Lock()
		m.now, m.next = next, nil
		m.mu.Unlock()
	}
	return err
}

// fits reports whether a store holds what was acknowledged, whole, and at most the
// one commit more that was under way.
func (m *model) fits(s journal.Store) error {
	got := map[string]string{}
	if err := s.Scan(nil, nil, func(k, v []byte) bool { got[string(k)] = string(v); return true }); err != nil {
		return err
	}
	if !maps.Equal(got, m.now) && (m.next == nil || !maps.Equal(got, m.next)) {
		return fmt.Errorf("%d entries, of which some are not what was written; there should be %d", len(got), len(m.now))
	}
	return nil
}

// some makes up writes: to few keys, so that most are written over.
func some(rng *rand.Rand) []journal.Write {
	writes := make([]journal.Write, 1+rng.IntN(4))
	for i := range writes {
		writes[i].Key = fmt.Appendf(nil, "k%02d", rng.IntN(40))
		switch size := rng.IntN(10); size {
		case 0: // a deletion
		case 1:
			writes[i].Value = []byte{}
		case 2:
			writes[i].Value = []byte(strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(30_000)))
		default:
			writes[i].Value = fmt.Appendf(nil, "%d", rng.Uint64())
		}
	}
	return writes
}

// small makes all that happens now and then happen often.
func small(d Disk) Options { return Options{Disk: d, Segment: 40_000, Compact: 50_000} }

// life has a store live for so many steps on a disk: commits, compactions, flushes,
// closes.
func life(rng *rand.Rand, d Disk, m *model, steps int) error {
	s, err := Open("store", small(d))
	if err != nil {
		return err
	}
	for range steps {
		switch rng.IntN(20) {
		case 0:
			err = s.(*store).Compact(context.Background())
		case 1:
			err = s.(*store).Flush()
		case 2:
			if err = s.Close(); err == nil {
				s, err = Open("store", small(d))
			}
		default:
			err = m.commit(s, some(rng))
		}
		if err != nil {
			return err
		}
	}
	return s.Close()
}

// cuts lives through a life with a power cut before one change in so many, and says
// how often the power was cut, and what was wrong first. Lie, if not nil, comes
// between the store and the disk.
func cuts(seed uint64, steps, oneIn int, lie func(vfs.FS) vfs.FS) (cut int, wrong error) {
	rng := rand.New(rand.NewPCG(seed, 4))
	chance := rand.New(rand.NewPCG(seed, 5)) // under the model's lock
	m := &model{now: map[string]string{}}
	var disk *storetest.Disk
	disk = storetest.NewDisk(func(op storetest.Op) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if wrong != nil || chance.IntN(oneIn) > 0 {
			return nil
		}
		percent := []int{0, 50, 100}[cut%3]
		cut++
		if err := afterCut(disk.PowerCut(percent, chance), m, chance); err != nil {
			wrong = fmt.Errorf("seed %d, power cut %d (%d %% of what was not synced) before %s %s: %w", seed, cut, percent,
				op.Kind, op.Path, err)
		}
		return nil
	})
	on := disk.System()
	if lie != nil {
		on.FS = lie(on.FS)
	}
	if err := life(rng, onFS{on}, m, steps); err != nil {
		return cut, fmt.Errorf("seed %d: %w", seed, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return cut, wrong
}

// afterCut opens what is left, and goes on with it.
func afterCut(d *storetest.Disk, m *model, rng *rand.Rand) error {
	s, err := Open("store", small(d))
	if err != nil {
		return err
	}
	if err := m.fits(s); err != nil {
		return err
	}
	on := &model{now: map[string]string{}}
	if err := s.Scan(nil, nil, func(k, v []byte) bool { on.now[string(k)] = string(v); return true }); err != nil {
		return err
	}
	for range rng.IntN(3) {
		if err := on.commit(s, some(rng)); err != nil {
			return err
		}
	}
	if rng.IntN(2) == 0 { // and is cut again
		again, err := Open("store", small(d.PowerCut(rng.IntN(101), rng)))
		if err != nil {
			return fmt.Errorf("a second time: %w", err)
		}
		if err := errors.Join(on.fits(again), again.Close()); err != nil {
			return fmt.Errorf("a second time: %w", err)
		}
	}
	return s.Close()
}

// TestI4_LivesWithPowerCuts has stores live at random, with the power cut at any
// change to the disk, in rotations and compactions too: what is left is all that
// was acknowledged, and at most the one commit more that was under way.
func TestI4_LivesWithPowerCuts(t *testing.T) {
	crashtest.Long(t)
	total, failures := 0, 0
	for seed := range uint64(cycles(8)) {
		cut, err := cuts(seed, 60, 4, nil)
		if !assert.NoError(t, err, "seed %d", seed) {
			failures++
		}
		total += cut
	}
	assert.Greater(t, total, 8)
	crashtest.Result{Harness: "torture-store-lives", Trials: total, Failures: failures}.Report(t)
}

// lying is a file system on which syncs of the log do nothing.
type lying struct {
	vfs.FS
	about string
}

type lyingFile struct{ vfs.File }

func (f lyingFile) SyncData() error { return nil }
func (f lyingFile) Sync() error     { return nil }

func (l lying) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return l.file(name)(l.FS.Create(name, c))
}

func (l lying) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return l.file(name)(l.FS.OpenReadWrite(name, c, opts...))
}

func (l lying) file(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err == nil && strings.Contains(name, l.about) {
			f = lyingFile{f}
		}
		return f, err
	}
}

// The test above finds commits that are acknowledged before they are durable, and
// bases for which segments are removed before they are.
func TestI4_LivesWithPowerCutsFindEarlyAcknowledgement(t *testing.T) {
	crashtest.Long(t)
	for _, about := range []string{wal.Suffix, wal.BasePrefix} {
		t.Run(about, func(t *testing.T) {
			for seed := range uint64(100) {
				if _, err := cuts(seed, 60, 4, func(fs vfs.FS) vfs.FS { return lying{fs, about} }); err != nil {
					t.Log(err)
					return
				}
			}
			t.Error("nothing was found")
		})
	}
}
