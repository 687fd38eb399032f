package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// What the store itself keeps among the keys cannot be written over.
func TestCommitRefusesTheStoresOwnKeys(t *testing.T) {
	s := MustOpen(t, "", Options{})
	for _, key := range []string{"", "\x00a", "\x00"} {
		require.Error(t, s.Commit([]journal.Write{Set("good", "x"), {Key: []byte(key), Value: []byte("x")}}), "%q", key)
	}
	assert.Empty(t, All(t, s, nil, nil), "all or nothing")
	require.NoError(t, s.Close())
}

// Tables that were written without a log are somebody else's.
func TestTablesWithoutALogAreRefused(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.(*store).db.Set([]byte("k"), []byte("v"), pebble.NoSync))
	require.NoError(t, s.Close())
	_, err := Open("store", Options{Disk: disk, Reserve: 64})
	require.ErrorIs(t, err, ErrFormat)
	r, err := fsck.Check(t.Context(), "store", fsck.Options{Disk: disk})
	require.NoError(t, err)
	assert.NotEmpty(t, r.Faults)
}

// A sync that was refused for want of space is not tried again: what it was to write may
// be lost already.
func TestARefusedSyncIsDeath(t *testing.T) {
	disk := storetest.NewDisk(nil)
	var out atomic.Bool
	disk.Watch(func(op storetest.Op) error {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, ".sst") && out.CompareAndSwap(true, false) {
			return syscall.ENOSPC
		}
		return nil
	})
	s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Commit([]journal.Write{Set("k", "v")}))
	out.Store(true)
	require.ErrorIs(t, s.(*store).Flush(), syscall.ENOSPC)
	require.ErrorIs(t, s.Err(), syscall.ENOSPC)
	require.NoError(t, s.Close())
}

// A head that names a commit which the disk refused is taken back before the next
// commit is written: three writes, and two from then on.
func TestAgree_TheHeadIsTakenBackFirst(t *testing.T) {
	disk := newCopying()
	s := MustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64}).(*store)
	require.NoError(t, s.Commit([]journal.Write{Set("first", "x")}))
	disk.left.Store(1)
	require.ErrorIs(t, s.Commit([]journal.Write{Set("second", "x")}), journal.ErrFull)
	for _, writes := range []int64{3, 2} {
		disk.left.Store(100)
		require.NoError(t, s.Commit([]journal.Write{Set("second", "y")}))
		assert.Equal(t, writes, 100-disk.left.Load())
	}
	require.NoError(t, s.Close())
}

// What is left of a frame that a crash cut off is written over as soon as the store opens.
func TestResume_ATornFrameIsErased(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i := range 2 {
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprint("k", i), "v")}))
		ends = append(ends, s.(*store).log.At().End)
	}
	files := image.Files(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).System().FS, "store")
	require.NoError(t, s.Close())
	const name = "store/log/00000001.seg"
	image.Flip(files, name, int(ends[1])-1)
	torn, err := files.Disk("", nil)
	require.NoError(t, err)
	s = MustOpen(t, "store", Options{Disk: torn, Reserve: 64})
	raw, err := wal.Contents(torn.System().FS, &wal.Segment{Path: name, Size: ends[0] + wal.FrameHead})
	require.NoError(t, err)
	assert.Equal(t, make([]byte, wal.FrameHead), raw[ends[0]:])
	assert.Equal(t, []string{"k0=v"}, All(t, s, nil, nil))
	require.NoError(t, s.Close())
}
