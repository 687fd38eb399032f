package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// Of the reserve, the upper part is refused to news alone; the last part no caller
// gets. When there is space again, all goes on by itself.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := storetest.NewDisk(nil)
		free := func(mib uint64) { disk.SetFree(mib << 20); time.Sleep(time.Second) }
		free(1000)
		s := MustOpen(t, "store", Options{Disk: disk})
		one := []journal.Write{Set("k", "v")}
		for _, tt := range []struct {
			mib         uint64
			news, other bool
		}{
			{1000, true, true},
			{48, true, true}, // what the ballast holds counts
			{47, false, true},
			{9, false, true},
			{8, true, true}, // stands for itself below
			{7, false, false},
			{50, false, true}, // without the ballast, it needs more than it did
			{71, false, true},
			{72, true, true},
			{48, true, true}, // the ballast is there again
			{0, false, false},
			{1000, true, true},
		} {
			free(tt.mib)
			if tt.mib == 8 {
				continue
			}
			news, other := s.Room(), s.Commit(one)
			for what, x := range map[string]struct {
				ok  bool
				err error
			}{"news": {tt.news, news}, "a commit": {tt.other, other}} {
				if x.ok {
					assert.NoError(t, x.err, "%s with %d MiB free", what, tt.mib)
					continue
				}
				require.ErrorIs(t, x.err, journal.ErrFull, "%s with %d MiB free", what, tt.mib)
				assert.Contains(t, x.err.Error(), fmt.Sprintf("has %d MiB free", tt.mib))
			}
			require.NoError(t, s.Err(), "with %d MiB free", tt.mib)
		}
		require.NoError(t, s.Close())
	})
}

// limited is a disk on which everything that takes space fails while it is full.
func limited() (*storetest.Disk, *atomic.Bool) {
	full := new(atomic.Bool)
	return storetest.NewDisk(func(op storetest.Op) error {
		if full.Load() && op.Kind != "remove" && op.Kind != "sync" {
			return syscall.ENOSPC
		}
		return nil
	}), full
}

// A disk that does not say how much is free is full when it refuses to write, and
// not full any more when it takes the ballast.
func TestDiskThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk, full := limited()
		s := MustOpen(t, "store", Options{Disk: disk})
		require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
		for range 3 {
			full.Store(true)
			require.ErrorIs(t, s.Commit([]journal.Write{Set("b", "2")}), journal.ErrFull)
			require.ErrorIs(t, s.Room(), journal.ErrFull)
			require.NoError(t, s.Err())
			got, err := s.Get([]byte("b"))
			require.NoError(t, err)
			require.Nil(t, got, "nothing was written")
			time.Sleep(time.Second)
			require.ErrorIs(t, s.Room(), journal.ErrFull)

			full.Store(false)
			time.Sleep(2 * time.Second) // Pebble may wait for space, too
			require.NoError(t, s.Room())
		}
		require.NoError(t, s.Commit([]journal.Write{Set("c", "3")}))
		require.NoError(t, s.Close())
		assert.Equal(t, []string{"a=1", "c=3"}, reopened(t, disk))
	})
}

func reopened(t *testing.T, disk *storetest.Disk) []string {
	t.Helper()
	s := MustOpen(t, "store", Options{Disk: disk.PowerCut(0, rand.New(rand.NewPCG(1, 1)))})
	defer func() { require.NoError(t, s.Close()) }()
	return All(t, s, nil, nil)
}

// Pebble waits for space where it can do nothing else, and goes on when there is
// some. Meanwhile there is no room for news.
func TestPebbleWaitsForSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk, full := limited()
		s := MustOpen(t, "store", Options{Disk: disk})
		value := strings.Repeat("v", 1<<20)
		var want []string
		for i := range 3 {
			k := fmt.Sprint(i)
			require.NoError(t, s.Commit([]journal.Write{Set(k, value)}))
			want = append(want, k+"="+value)
		}
		full.Store(true) // now the tables are written, for the store is idle
		time.Sleep(10 * flushIdle)
		require.ErrorIs(t, s.Room(), journal.ErrFull)
		require.NoError(t, s.Err())

		full.Store(false)
		time.Sleep(10 * time.Second)
		require.NoError(t, s.Room())
		require.NoError(t, s.Commit([]journal.Write{Set("3", "x")}))
		require.NoError(t, s.Close())
		assert.Equal(t, append(want, "3=x"), reopened(t, disk))
	})
}

// Closing does not wait for space: everything is in the log.
func TestClosingWhilePebbleWaits(t *testing.T) {
	var stuck atomic.Bool
	refused := make(chan bool, 1)
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if stuck.Load() && op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") {
			select {
			case refused <- true:
			default:
			}
			return syscall.ENOSPC
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk})
	stuck.Store(true)
	var want []string
	for i := range 5 {
		k, v := fmt.Sprint(i), strings.Repeat("v", 1<<20)
		require.NoError(t, s.Commit([]journal.Write{Set(k, v)}))
		want = append(want, k+"="+v)
	}
	<-refused
	require.NoError(t, s.Close())
	assert.Equal(t, want, reopened(t, disk))
}

// While Pebble cannot write its tables, what it keeps in memory is bounded.
func TestCommitsAreBoundedWhilePebbleWaits(t *testing.T) {
	crashtest.Long(t)
	synctest.Test(t, func(t *testing.T) {
		var stuck atomic.Bool
		disk := storetest.NewDisk(func(op storetest.Op) error {
			if stuck.Load() && op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") {
				return syscall.ENOSPC
			}
			return nil
		})
		s := MustOpen(t, "store", Options{Disk: disk})
		stuck.Store(true)
		require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
		time.Sleep(10 * flushIdle)
		require.ErrorIs(t, s.Room(), journal.ErrFull)
		value := strings.Repeat("v", 1<<20)
		n := 0
		for ; n < 100; n++ {
			if err := s.Commit([]journal.Write{Set(fmt.Sprint(n), value)}); err != nil {
				require.ErrorIs(t, err, journal.ErrFull)
				break
			}
		}
		assert.InDelta(t, 7, n, 1, "commits of a MiB")
		stuck.Store(false)
		time.Sleep(10 * time.Second)
		require.NoError(t, s.Room())
		require.NoError(t, s.Commit([]journal.Write{Set("z", value)}))
		require.NoError(t, s.Close())
	})
}

// A store that cannot be opened for want of space says so, at once, and can be
// opened when there is some.
func TestOpeningOnAFullDisk(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, disk *storetest.Disk){
		"new": func(*testing.T, *storetest.Disk) {},
		"old": func(t *testing.T, disk *storetest.Disk) {
			s := MustOpen(t, "store", Options{Disk: disk})
			require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
			require.NoError(t, s.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk, full := limited()
			before(t, disk)
			full.Store(true)
			_, err := Open("store", Options{Disk: disk})
			require.ErrorIs(t, err, journal.ErrFull)
			full.Store(false)
			s := MustOpen(t, "store", Options{Disk: disk})
			require.NoError(t, s.Commit([]journal.Write{Set("b", "2")}))
			require.NoError(t, s.Close())
		})
	}
}

// A sync for which there is no space is a failed sync: what was to be written may
// be lost, and no later one tells.
func TestSyncWithoutSpaceIsDeath(t *testing.T) {
	var full atomic.Bool
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if full.Load() && op.Kind == "sync" {
			return syscall.ENOSPC
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk})
	full.Store(true)
	err := s.Commit([]journal.Write{Set("a", "1")})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotErrorIs(t, err, journal.ErrFull)
	full.Store(false)
	require.Error(t, s.Commit([]journal.Write{Set("a", "1")}))
	require.NoError(t, s.Close())
}

// Whatever step of opening finds no space says so by its kind.
func TestOpeningWithoutSpaceIsFull(t *testing.T) {
	refused := 0
	for n, over := 0, false; !over; n++ {
		disk := storetest.NewDisk(nil)
		s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64})
		require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
		require.NoError(t, s.Close())
		var mu sync.Mutex
		count := 0
		disk.Watch(func(op storetest.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind != "create" && op.Kind != "write" {
				return nil
			}
			if count++; count-1 == n {
				return syscall.ENOSPC
			}
			return nil
		})
		s, err := Open("store", Options{Disk: disk, Reserve: 64})
		over = count <= n
		if err != nil {
			refused++
			require.ErrorIs(t, err, journal.ErrFull, "step %d", n)
			continue
		}
		require.NoError(t, s.Close(), "step %d", n)
	}
	assert.Positive(t, refused)
}

// A large reserve is not a reason to put more into memory than Pebble takes while it waits:
// a commit that waits with it would hold up everything, closing too.
func TestLargeReserveWhilePebbleWaits(t *testing.T) {
	crashtest.Long(t)
	for name, writes := range map[string]func(n int) []journal.Write{
		"large": func(n int) []journal.Write { return []journal.Write{Set(fmt.Sprint(n), strings.Repeat("v", 1<<20))} },
		"small": func(n int) (all []journal.Write) {
			for i := range 10_000 {
				all = append(all, Set(fmt.Sprintf("%d.%d", n, i), ""))
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stuck atomic.Bool
				disk := storetest.NewDisk(func(op storetest.Op) error {
					if stuck.Load() && op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") {
						return syscall.ENOSPC
					}
					return nil
				})
				s := MustOpen(t, "store", Options{Disk: disk, Reserve: 1 << 30})
				stuck.Store(true)
				require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
				time.Sleep(10 * flushIdle)
				full := make(chan error)
				go func() {
					for n := range 500 {
						if err := s.Commit(writes(n)); err != nil {
							full <- err
							return
						}
					}
					full <- nil
				}()
				select {
				case err := <-full:
					require.ErrorIs(t, err, journal.ErrFull)
				case <-time.After(time.Hour):
					t.Error("a commit waits for space")
				}
				stuck.Store(false)
				time.Sleep(10 * time.Second)
				require.NoError(t, s.Close())
			})
		})
	}
}

// Closing waits neither for space nor for anyone who waits for it to take things out of the
// log.
func TestClosingWhileACompactionWaits(t *testing.T) {
	for name, f := range map[string]func(s *store) error{
		"compact": func(s *store) error { return s.Compact(context.Background()) },
		"reclaim": func(s *store) error { return s.Reclaim(context.Background(), []byte("0"), []byte("9")) },
	} {
		t.Run(name, func(t *testing.T) {
			var stuck atomic.Bool
			refused := make(chan bool, 1)
			disk := storetest.NewDisk(func(op storetest.Op) error {
				if stuck.Load() && op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") {
					select {
					case refused <- true:
					default:
					}
					return syscall.ENOSPC
				}
				return nil
			})
			s := MustOpen(t, "store", Options{Disk: disk}).(*store)
			require.NoError(t, s.Commit([]journal.Write{Set("a", "1")}))
			stuck.Store(true)
			done, closed := make(chan error, 1), make(chan error, 1)
			go func() { done <- f(s) }()
			<-refused
			go func() { closed <- s.Close() }()
			select {
			case err := <-closed:
				require.NoError(t, err)
			case <-time.After(time.Minute):
				t.Fatal("closing waits for space")
			}
			require.Error(t, <-done)
			assert.Equal(t, []string{"a=1"}, reopened(t, disk))
		})
	}
}

// The process has no descriptor left: nothing dies of it, neither commits that need a new
// segment nor what Pebble does in the background, and all goes on by itself.
func TestNoDescriptorIsNotDeath(t *testing.T) {
	disk := storetest.NewDisk(nil)
	var out atomic.Bool
	refuse := func(op storetest.Op) error {
		if out.Load() && (op.Kind == "create" || op.Kind == "open" || op.Kind == "list") {
			return fmt.Errorf("%s %s: %w", op.Kind, op.Path, syscall.EMFILE)
		}
		return nil
	}
	disk.Watch(refuse)
	disk.WatchReads(refuse)
	s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64, Segment: 40 << 10})
	value := strings.Repeat("v", 5000)
	require.NoError(t, s.Commit([]journal.Write{Set("k", value)}))
	require.NoError(t, s.(*store).Flush())
	require.NoError(t, s.Commit([]journal.Write{Set("k0", value)}))

	out.Store(true)
	flushed := make(chan error, 1)
	go func() { flushed <- s.(*store).Flush() }() // it needs a new table
	full := 0
	for i := range 20 { // and these a new segment
		if err := s.Commit([]journal.Write{Set(fmt.Sprint("n", i), value)}); err != nil {
			require.ErrorIs(t, err, journal.ErrFull)
			full++
		}
	}
	assert.Positive(t, full)
	require.ErrorIs(t, s.Room(), journal.ErrFull)
	assert.ErrorContains(t, s.Room(), "RLIMIT_NOFILE")
	require.NoError(t, s.Err())

	out.Store(false)
	require.NoError(t, <-flushed)
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.NoError(c, s.Room()) }, 10*time.Second, time.Millisecond)
	require.NoError(t, s.Commit([]journal.Write{Set("after", value)}))
	require.NoError(t, s.Err())
	require.NoError(t, s.Close())
	disk = disk.PowerCut(0, rand.New(rand.NewPCG(1, 1)))
	r, err := fsck.Check(t.Context(), "store", fsck.Options{Disk: disk})
	require.NoError(t, err)
	assert.Empty(t, r.Faults)
}
