package store

import (
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// A store that was closed, killed or compacted is read without a change to the disk; all
// that is in it is there; nothing can be written.
func TestReadOnlyChangesNothing(t *testing.T) {
	for _, w := range image.Worlds(t, 80, inSmallSegments(t)) {
		disk, err := w.Image.Disk("", nil)
		require.NoError(t, err)
		want := map[string]string{}
		require.NoError(t, w.Entries(t, inSmallSegments(t), func(k, v []byte) { want[string(k)] = string(v) }))
		disk.Watch(func(op storetest.Op) error { return &fs.PathError{Op: op.Kind, Path: op.Path, Err: syscall.EROFS} })
		disk.WatchReads(func(op storetest.Op) error {
			if op.Kind == "lock" {
				return &fs.PathError{Op: "open", Path: op.Path, Err: syscall.EROFS}
			}
			return nil
		})
		opt := Options{Disk: disk, Reserve: 64}
		_, err = Open("store", opt)
		require.ErrorIs(t, err, ErrNotWritable)
		require.NotErrorIs(t, err, ErrInUse)
		_, err = fsck.Repair(t.Context(), "store", fsck.Options{Disk: disk}, true)
		require.ErrorIs(t, err, ErrNotWritable)
		r, err := fsck.Check(t.Context(), "store", fsck.Options{Disk: disk})
		require.NoError(t, err)
		assert.Empty(t, r.Faults)

		opt.ReadOnly = true
		s, err := Open("store", opt)
		require.NoError(t, err, w.Name)
		got := map[string]string{}
		require.NoError(t, s.Scan(nil, nil, func(k, v []byte) bool { got[string(k)] = string(v); return true }))
		assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
		assert.Equal(t, want, got)
		j, err := journal.Open(s, journal.Options{})
		require.NoError(t, err)
		require.NoError(t, j.Verify(t.Context()))
		require.ErrorIs(t, s.Commit([]journal.Write{Set("k", "v")}), ErrNotWritable)
		require.NoError(t, j.Close())
		assert.Equal(t, w.Image, image.Files(t, disk.System().FS, "store"), "not a byte is changed")
	}
}
