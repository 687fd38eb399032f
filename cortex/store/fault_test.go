package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// script opens a store, commits enough for logs to change and tables to be
// written, and returns what was acknowledged. It stops at the first error.
func script(d Disk) (s journal.Store, acked map[string]string, err error) {
	acked = map[string]string{}
	if s, err = Open("a/store", Options{Disk: d}); err != nil {
		return nil, acked, err
	}
	sizes := []int{10, 300_000, 300_000, 10, 900_000, 10}
	for i, size := range sizes {
		k, v := fmt.Sprintf("k%d", i), strings.Repeat(string(rune('a'+i)), size)
		if err := s.Commit([]journal.Write{Set(k, v), Set("newest", k)}); err != nil {
			return s, acked, err
		}
		acked[k] = v
	}
	return s, acked, s.Close()
}

// failing makes disks on which the nth operation fails, and with sticky every
// later one too. Errorfs stands between the store and the disk and fails reads too;
// the disk's own hook sees changes only, but all of them.
var failing = map[string]func(n int64, sticky bool, count *atomic.Int64) (*storetest.Disk, Disk){
	"errorfs": func(n int64, sticky bool, count *atomic.Int64) (*storetest.Disk, Disk) {
		disk := storetest.NewDisk(nil)
		return disk, onFS{guard.System{FS: errorfs.Wrap(disk.System().FS, errorfs.InjectorFunc(func(errorfs.Op) error {
			return failAt(n, sticky, count)
		}))}}
	},
	"hook": func(n int64, sticky bool, count *atomic.Int64) (*storetest.Disk, Disk) {
		disk := storetest.NewDisk(func(storetest.Op) error { return failAt(n, sticky, count) })
		return disk, disk
	},
}

func failAt(n int64, sticky bool, count *atomic.Int64) error {
	if c := count.Add(1) - 1; c == n || sticky && c > n {
		return syscall.EIO
	}
	return nil
}

// TestEveryOperationFails fails the first, the second, ... operation on the disk
// until the script runs through untouched. Whatever fails: the process lives,
// the error says why, nothing that was acknowledged is lost, and what was
// durable can be read.
func TestEveryOperationFails(t *testing.T) {
	crashtest.Long(t)
	for _, tt := range []struct {
		disk   string
		sticky bool
	}{{"errorfs", false}, {"hook", true}} {
		t.Run(fmt.Sprintf("%s/sticky=%v", tt.disk, tt.sticky), func(t *testing.T) {
			failed := 0
			for n := int64(0); ; n++ {
				var count atomic.Int64
				disk, bad := failing[tt.disk](n, tt.sticky, &count)
				s, acked, err := script(bad)
				if count.Load() <= n {
					require.NoError(t, err, "nothing failed")
					break
				}
				if err != nil {
					failed++
					require.ErrorIs(t, err, syscall.EIO, "operation %d", n)
				}
				if s != nil && err != nil {
					checkDead(t, s, acked, n, tt.sticky)
				}
				checkDurable(t, disk, acked, n)
			}
			assert.Greater(t, failed, 50, "hardly anything failed: the test does not test")
			t.Logf("%d operations failed", failed)
		})
	}
}

// checkDead looks at a store after an error.
func checkDead(t *testing.T, s journal.Store, acked map[string]string, n int64, sticky bool) {
	t.Helper()
	if s.Err() != nil && !errors.Is(s.Err(), ErrClosed) {
		require.ErrorIs(t, s.Err(), syscall.EIO, "operation %d", n)
		require.ErrorIs(t, s.Commit([]journal.Write{Set("late", "x")}), syscall.EIO)
		for k, v := range acked {
			if got, err := s.Get([]byte(k)); !sticky && err == nil {
				require.True(t, string(got) == v, "operation %d: %s is not what was acknowledged", n, k)
			}
		}
		late, err := s.Get([]byte("late"))
		require.True(t, err != nil || late == nil, "what failed must not show")
	}
	_ = s.Close()
}

// checkDurable opens what a power cut leaves at worst.
func checkDurable(t *testing.T, disk *storetest.Disk, acked map[string]string, n int64) {
	t.Helper()
	checkCut(t, disk, acked, n, 0)
}

func checkCut(t *testing.T, disk *storetest.Disk, acked map[string]string, n int64, percent int) {
	t.Helper()
	s, err := Open("a/store", Options{Disk: disk.PowerCut(percent, rand.New(rand.NewPCG(uint64(n), 1)))})
	require.NoError(t, err, "operation %d, %d %% of what was not synced", n, percent)
	for k, v := range acked {
		got, err := s.Get([]byte(k))
		require.NoError(t, err)
		require.True(t, string(got) == v, "operation %d, %d %% of what was not synced: %s is lost", n, percent, k)
	}
	require.NoError(t, s.Close())
}

// TestPowerCutAtEveryOperation cuts the power before each change to the disk,
// those of making and opening the store too.
func TestPowerCutAtEveryOperation(t *testing.T) {
	crashtest.Long(t)
	var mu sync.Mutex // the background changes the disk too
	var n, cuts int64
	changes := map[string]bool{} // of logs
	acked := map[string]string{}
	var disk *storetest.Disk
	disk = storetest.NewDisk(func(op storetest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(op.Path, ".seg") && (op.Kind == "create" || op.Kind == "reuse") {
			changes[op.Path] = true
		}
		percents := []int{0, 100, 50, 50}
		if strings.HasSuffix(op.Path, ".seg") && n%5 != 0 {
			percents = percents[:2] // Pebble looks long at each large record that is torn
		}
		for _, percent := range percents {
			checkCut(t, disk, acked, n, percent)
			cuts++
		}
		n++
		return nil
	})
	for run := range 2 { // on a new disk, and on what the first run left
		s := MustOpen(t, "a/store", Options{Disk: disk, Segment: 500_000})
		for i, size := range []int{10, 300_000, 300_000, 10} {
			k, v := fmt.Sprintf("%d/%d", run, i), strings.Repeat("v", size)
			require.NoError(t, s.Commit([]journal.Write{Set(k, v)}))
			mu.Lock()
			acked[k] = v
			mu.Unlock()
		}
		require.NoError(t, s.Close())
	}
	assert.Greater(t, len(changes), 3, "segments are begun and taken up again")
	t.Logf("%d power cuts", cuts)
}

// A marker names the manifest that is valid. Before one comes or goes, all that
// was done in the folder before is durable; file systems need not keep the order.
func TestMarkersComeAndGoInOrder(t *testing.T) {
	var mu sync.Mutex
	var last storetest.Op
	markers := 0
	disk := storetest.NewDisk(func(op storetest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(op.Path, "store/marker.") {
			markers++
			assert.Equal(t, storetest.Op{Kind: "sync", Path: "store"}, last, "before %v", op)
		}
		last = op
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk})
	require.NoError(t, s.Close())
	assert.Greater(t, markers, 10)
}

// What is still at work when the store dies changes nothing more: not what
// readers see, and not what its caller was told.
func TestDeathIsFinal(t *testing.T) {
	cause := errors.New("cause")
	s := MustOpen(t, "", Options{}).(*store)
	require.NoError(t, s.Commit([]journal.Write{Set("k", "old")}))
	require.NoError(t, s.db.Set([]byte("k"), []byte("new"), pebble.NoSync))
	for range 100 {
		require.ErrorIs(t, s.death.Alive(func() error { s.death.Die(cause); return nil }), cause)
	}
	s.look()
	assert.Equal(t, []string{"k=old"}, All(t, s, nil, nil))
	go func() { _, _ = s.disk.Create("store/late", "") }() // parked for good
	for range 1000 {
		runtime.Gosched()
	}
	_, err := s.disk.Stat("store/late")
	require.ErrorIs(t, err, os.ErrNotExist, "nothing reaches the disk any more")
	require.NoError(t, s.Close())
}

// Closing a dead store frees its folder only when no change is under way any
// more.
func TestCloseWaitsForTheDisk(t *testing.T) {
	var hold atomic.Bool
	syncing, goOn := make(chan struct{}), make(chan struct{})
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if op.Kind == "sync" && hold.Load() {
			close(syncing)
			<-goOn
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk}).(*store)
	hold.Store(true)
	done, closed := make(chan error), make(chan error)
	go func() { done <- s.Commit([]journal.Write{Set("k", "v")}) }()
	<-syncing
	s.death.Die(syscall.EIO)
	require.ErrorIs(t, <-done, syscall.EIO, "the caller need not wait")
	go func() { closed <- s.Close() }()
	for range 1000 {
		runtime.Gosched()
		select {
		case err := <-closed:
			t.Fatal("closed while a sync was under way", err)
		default:
		}
	}
	_, err := Open("store", Options{Disk: disk})
	require.ErrorIs(t, err, ErrInUse)
	close(goOn)
	require.NoError(t, <-closed)
}

// The folder of a dead store can be opened again in the same process: the lock
// is free, and nothing of the old one writes there any more.
func TestDeadStoreLetsGo(t *testing.T) {
	var bad atomic.Bool
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if bad.Load() {
			return syscall.EIO
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk})
	require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
	bad.Store(true)
	require.ErrorIs(t, s.Commit([]journal.Write{Set("b", "2")}), syscall.EIO)
	got, err := s.Get([]byte("b"))
	require.NoError(t, err)
	assert.Nil(t, got, "what was not acknowledged does not show")
	require.NoError(t, s.Close())

	bad.Store(false)
	s = MustOpen(t, "store", Options{Disk: disk})
	got, err = s.Get([]byte("a"))
	require.NoError(t, err)
	assert.Equal(t, "1", string(got))
	require.NoError(t, s.Commit([]journal.Write{Set("c", "3")}))
	require.NoError(t, s.Close())
}

// What is being synced is not yet there for readers; after a failed sync it
// never is. (Pebble alone shows it at once.)
func TestReadersSeeOnlyWhatIsDurable(t *testing.T) {
	syncing, goOn := make(chan struct{}), make(chan error)
	var armed atomic.Bool
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, ".seg") && armed.Load() {
			syncing <- struct{}{}
			return <-goOn
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk})
	require.NoError(t, s.Commit([]journal.Write{Set("k", "old")}))
	armed.Store(true)
	for _, result := range []error{nil, syscall.EIO} {
		before := All(t, s, nil, nil)
		done := make(chan error)
		go func() { done <- s.Commit([]journal.Write{Set("k", "new"), Set("more", "x")}) }()
		<-syncing
		assert.Equal(t, before, All(t, s, nil, nil), "during the sync")
		goOn <- result
		err := <-done
		if result == nil {
			require.NoError(t, err)
			assert.Equal(t, []string{"k=new", "more=x"}, All(t, s, nil, nil))
		} else {
			require.ErrorIs(t, err, syscall.EIO)
			assert.Equal(t, before, All(t, s, nil, nil), "after a failed sync")
		}
	}
	require.NoError(t, s.Close())
}

// A table that was damaged on the disk is an error to anyone who reads it, never a
// wrong or missing value, and ends writing.
func TestDamagedTable(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := MustOpen(t, "store", Options{Disk: disk})
	value := strings.Repeat("v", 5000)
	for i := range 100 {
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%02d", i), value)}))
	}
	require.NoError(t, s.Close()) // everything is in tables now

	for name, raw := range image.Files(t, disk.System().FS, "store") {
		if strings.HasSuffix(name, ".sst") {
			raw[len(raw)/2] ^= 1 // not where Open itself reads
			require.NoError(t, image.Put(disk.System().FS, name, raw))
		}
	}
	s = MustOpen(t, "store", Options{Disk: disk})
	bad := 0
	for i := range 100 {
		got, err := s.Get(fmt.Appendf(nil, "k%02d", i))
		if err != nil {
			bad++
			assert.Nil(t, got)
			continue
		}
		assert.Equal(t, value, string(got))
	}
	assert.Positive(t, bad)
	require.Error(t, s.Scan(nil, nil, func(_, _ []byte) bool { return true }))
	require.ErrorIs(t, s.Commit([]journal.Write{Set("k", "x")}), ErrCorrupt)
	require.NoError(t, s.Close())
}
