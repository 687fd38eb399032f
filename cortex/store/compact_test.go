package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// files lists the log of a disk's store.
func files(t *testing.T, d *storetest.Disk) (segs []*wal.Segment, based []*wal.Base) {
	t.Helper()
	segs, err := wal.Segments(d.System().FS, "store/log")
	require.NoError(t, err)
	based, err = wal.Bases(d.System().FS, "store/log")
	require.NoError(t, err)
	return segs, based
}

// churn writes over the same ten keys.
func churn(t *testing.T, s journal.Store, commits, size int) {
	t.Helper()
	for i := range commits {
		require.NoError(t,
			s.Commit([]journal.Write{Set(fmt.Sprint("k", i%10), strings.Repeat(string(rune('a'+i%26)), size))}))
	}
}

// A log most of which was written over is made smaller by itself, once; one that
// lives as a whole is left alone. What is in the log alone comes into tables when
// nothing is written.
func TestKeeper(t *testing.T) {
	for _, over := range []bool{true, false} {
		t.Run(fmt.Sprintf("over=%v", over), func(t *testing.T) {
			disk := storetest.NewDisk(nil)
			synctest.Test(t, func(t *testing.T) {
				s := MustOpen(t, "store", Options{Disk: disk, Segment: 100_000, Compact: 300_000}).(*store)
				if over {
					churn(t, s, 500, 1000)
				} else {
					for i := range 50 {
						churn(t, s, 1, 1)
						require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprint("n", i), strings.Repeat("n", 10_000))}))
					}
				}
				assert.Positive(t, s.keeper.behind.Load())
				s.keeper.idle(t)
				assert.Zero(t, s.keeper.behind.Load(), "all of it is in tables")
				segs, based := files(t, disk)
				if over {
					assert.Len(t, based, 1)
					assert.Len(t, segs, 1, "of which only the last segment was left")
					assert.Less(t, s.log.Size(), int64(300_000))
					bytes := int64(0)
					for _, seg := range segs {
						bytes += seg.Size
					}
					assert.Equal(t, bytes, s.log.Size())
				} else {
					assert.Empty(t, based)
					assert.Greater(t, len(segs), 4)
				}
				before := All(t, s, nil, nil)
				require.NoError(t, s.Close())
				s = MustOpen(t, "store", Options{Disk: disk}).(*store)
				assert.Equal(t, before, All(t, s, nil, nil))
				require.NoError(t, s.Close())
			})
		})
	}
}

// Someone flushed, and what was written since has as many bytes as what was flushed:
// the keeper waits all the same until nothing more comes.
func TestKeeper_WaitsAfterAFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := MustOpen(t, "store", Options{Disk: storetest.NewDisk(nil)}).(*store)
		for range 3 {
			require.NoError(t, s.Commit([]journal.Write{Set("k", "v")}))
			synctest.Wait()
			time.Sleep(flushIdle / 2)
			assert.Positive(t, s.keeper.behind.Load())
			require.NoError(t, s.Flush())
		}
		require.NoError(t, s.Close())
	})
}

// idle lets so much time go by that the keeper has done its work.
func (k *keeper) idle(t *testing.T) {
	t.Helper()
	for range 3 {
		select {
		case <-t.Context().Done():
		case <-k.done:
		case <-time.After(flushIdle):
		}
		synctest.Wait()
	}
}

// Compacting changes nothing that can be read; what it writes is all there is; and
// what it cannot do leaves everything as it was.
func TestCompact(t *testing.T) {
	var full atomic.Bool
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if full.Load() && op.Kind == "write" && strings.Contains(op.Path, wal.BasePrefix) {
			return syscall.ENOSPC
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk, Segment: 20_000}).(*store)
	require.NoError(t, s.Compact(t.Context()), "of nothing")
	churn(t, s, 100, 1000)
	require.NoError(t, s.Commit([]journal.Write{{Key: []byte("k3")}, Set("empty", "")}))
	want := All(t, s, nil, nil)
	segs, based := files(t, disk)
	assert.Greater(t, len(segs), 4)
	assert.Empty(t, based)

	full.Store(true)
	require.ErrorIs(t, s.Compact(t.Context()), journal.ErrFull)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	full.Store(false)
	require.ErrorIs(t, s.Compact(over), context.Canceled)
	names, err := disk.System().FS.List("store/log")
	require.NoError(t, err)
	assert.Len(t, names, len(segs)+1, "a new segment, and nothing else")

	require.NoError(t, s.Compact(t.Context()))
	require.NoError(t, s.Compact(t.Context()), "once more")
	segs, based = files(t, disk)
	assert.Len(t, segs, 1)
	require.Len(t, based, 1)
	var got []string
	require.NoError(t, based[0].Read(disk.System().FS, func(w journal.Write) error {
		got = append(got, fmt.Sprintf("%s=%s", w.Key, w.Value))
		return nil
	}))
	assert.Equal(t, want, got)
	assert.Equal(t, based[0].At, segs[0].Start().Mark)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Compact(t.Context()), ErrClosed)
}

// Who has deleted much gets the space back at once, in both places; what is left is
// what was. Where there is no space to write what lives, the log stays as it is.
func TestReclaim(t *testing.T) {
	crashtest.Long(t)
	disk := storetest.NewDisk(nil)
	disk.SetFree(1 << 30)
	s := MustOpen(t, "store", Options{Disk: disk, Segment: 1 << 20}).(*store)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 600 {
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%03d", i), image.RandomText(rng, 10_000))}))
	}
	require.NoError(t, s.Reclaim(t.Context(), []byte("k"), []byte("l")))
	shrinks := func(to int64, why string) { // Pebble removes files when it comes to it
		require.Eventually(t, func() bool { return disk.Used("store") < to }, 30*time.Second, time.Millisecond, why)
	}
	before := disk.Used("store")
	assert.Greater(t, before, int64(12_000_000), "nothing was deleted, so both places have all of it")
	for i := range 580 {
		require.NoError(t, s.Commit([]journal.Write{{Key: fmt.Appendf(nil, "k%03d", i)}}))
	}
	want := All(t, s, nil, nil)

	disk.SetFree(16 << 20)
	time.Sleep(20 * time.Millisecond) // until it is asked again how much is free
	require.ErrorIs(t, s.Reclaim(t.Context(), []byte("k"), []byte("l")), journal.ErrFull)
	shrinks(before-5_000_000, "the tables need no space to become smaller")
	disk.SetFree(1 << 30)
	time.Sleep(20 * time.Millisecond) // until it is asked again how much is free
	require.NoError(t, s.Reclaim(t.Context(), []byte("k"), []byte("l")))
	shrinks(2_500_000, "the log, too")
	assert.Equal(t, want, All(t, s, nil, nil))
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Reclaim(t.Context(), []byte("k"), []byte("l")), ErrClosed)
	s = MustOpen(t, "store", Options{Disk: disk}).(*store)
	assert.Equal(t, want, All(t, s, nil, nil))
	require.NoError(t, s.Close())
}

// Commits and reads go on while a base is written, and Close does not wait for the
// whole of one.
func TestCompactIsNoPause(t *testing.T) {
	writing, goOn := make(chan struct{}), make(chan struct{})
	var armed atomic.Bool
	disk := storetest.NewDisk(func(op storetest.Op) error {
		if op.Kind == "write" && strings.Contains(op.Path, wal.BasePrefix) && armed.CompareAndSwap(true, false) {
			close(writing)
			<-goOn
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk}).(*store)
	for i := range 600 { // more than is looked through between two looks at the store
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%03d", i), "old")}))
	}
	armed.Store(true)
	done := make(chan error)
	go func() { done <- s.Compact(t.Context()) }()
	<-writing
	require.NoError(t, s.Commit([]journal.Write{Set("k000", "new"), Set("k9", "new")}))
	require.Len(t, All(t, s, nil, nil), 601)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	for s.Err() == nil { // until Close has begun
	}
	close(goOn)
	require.ErrorIs(t, <-done, ErrClosed)
	require.NoError(t, <-closed)
	_, based := files(t, disk)
	assert.Empty(t, based)
}

// Tables that are gone or older than the log's beginning are not taken for new.
func TestI4_TablesThatLackWhatTheLogForgot(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := MustOpen(t, "store", Options{Disk: disk}).(*store)
	churn(t, s, 20, 10)
	require.NoError(t, s.Compact(t.Context()))
	churn(t, s, 5, 10)
	require.NoError(t, s.Close())
	names, err := disk.System().FS.List("store")
	require.NoError(t, err)
	for _, name := range names {
		if name != "log" {
			require.NoError(t, disk.System().FS.Remove("store/"+name))
		}
	}
	_, err = Open("store", Options{Disk: disk})
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	assert.Contains(t, err.Error(), "the log begins with commit 21, and the tables end with commit 0")
	_, based := files(t, disk)
	assert.Len(t, based, 1, "nothing was removed")
}

// Tables that are ahead of the log are not taken for whole.
func TestI4_TablesAheadOfTheLog(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := MustOpen(t, "store", Options{Disk: disk}).(*store)
	churn(t, s, 5, 10)
	at := s.log.At()
	at.Seq++
	require.NoError(t, tables.Apply(s.db, at, func(add func(journal.Write) error) error { return add(Set("ahead", "x")) }))
	require.NoError(t, s.db.Flush())
	cut := disk.PowerCut(0, nil)
	require.NoError(t, s.Close())
	_, err := Open("store", Options{Disk: cut})
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	assert.Equal(t, uint64(6), damage.Frame)
}
