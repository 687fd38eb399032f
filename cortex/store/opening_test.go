package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// unsettled is a disk with a store whose tables are merged as soon as it is opened:
// an earlier one died when it began to.
func unsettled(t *testing.T) *storetest.Disk {
	t.Helper()
	var made atomic.Int64
	disk := storetest.NewDisk(nil)
	disk.Watch(func(op storetest.Op) error {
		if op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") && made.Add(1) == 2 {
			return syscall.EIO // the first is the flush's
		}
		return nil
	})
	for life := range 100 {
		made.Store(0)
		s := MustOpen(t, "store", Options{Disk: disk})
		for i := range 10 {
			require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%d", i), fmt.Sprint("v", life))}))
		}
		require.NoError(t, s.Close())
		if made.Load() >= 2 {
			return disk.PowerCut(100, rand.New(rand.NewPCG(1, 1)))
		}
	}
	require.Fail(t, "tables are never merged")
	return nil
}

// Pebble begins to merge tables before it is open. Where it could not be opened for a
// later reason, a folder that cannot be listed, it took from under that work what
// the work needs, which ended the process: one opening in some thousands.
func TestOpen_NotListedWhileTablesAreMerged(t *testing.T) {
	disk := unsettled(t)
	again := func() *storetest.Disk { return disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))) }
	var lists, made atomic.Int64 // of an opening that nothing disturbs
	list := func(op storetest.Op) bool { return op.Kind == "list" && op.Path == "store" }
	probe := again()
	probe.Watch(func(op storetest.Op) error {
		if op.Kind == "create" && strings.HasSuffix(op.Path, ".sst") {
			made.Add(1)
		}
		return nil
	})
	probe.WatchReads(func(op storetest.Op) error {
		if list(op) {
			lists.Add(1)
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: probe})
	last := lists.Load()
	require.NoError(t, s.Close())
	require.Positive(t, made.Load(), "nothing is merged")

	for bad := int64(1); bad <= last; bad++ {
		var n atomic.Int64
		one := again()
		one.WatchReads(func(op storetest.Op) error {
			if list(op) && n.Add(1) == bad {
				return syscall.EIO
			}
			return nil
		})
		_, err := Open("store", Options{Disk: one})
		require.ErrorIs(t, err, syscall.EIO, "list %d", bad)
		s := MustOpen(t, "store", Options{Disk: one}) // it is let go, and works
		assert.Len(t, All(t, s, nil, nil), 10)
		require.NoError(t, s.Close())
	}
}
