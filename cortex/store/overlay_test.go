package store

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// A store that was closed, killed or compacted is read without a change to the disk; all
// that is in it is there; nothing can be written.
func TestReadOnlyChangesNothing(t *testing.T) {
	for _, w := range worlds(t, 80) {
		disk, err := w.image.disk("", nil)
		require.NoError(t, err)
		want := map[string]string{}
		require.NoError(t, readEntries(t, w.image, func(k, v []byte) { want[string(k)] = string(v) }))
		disk.Watch(func(op Op) error { return &fs.PathError{Op: op.Kind, Path: op.Path, Err: syscall.EROFS} })
		disk.WatchReads(func(op Op) error {
			if op.Kind == "lock" {
				return &fs.PathError{Op: "open", Path: op.Path, Err: syscall.EROFS}
			}
			return nil
		})
		opt := Options{Disk: disk, Reserve: 64}
		_, err = Open("store", opt)
		require.ErrorIs(t, err, ErrNotWritable)
		require.NotErrorIs(t, err, ErrInUse)
		_, err = Repair(t.Context(), "store", opt, true)
		require.ErrorIs(t, err, ErrNotWritable)
		r, err := Check(t.Context(), "store", opt)
		require.NoError(t, err)
		assert.Empty(t, r.Faults)

		opt.ReadOnly = true
		s, err := Open("store", opt)
		require.NoError(t, err, w.name)
		got := map[string]string{}
		require.NoError(t, s.Scan(nil, nil, func(k, v []byte) bool { got[string(k)] = string(v); return true }))
		assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
		assert.Equal(t, want, got)
		j, err := journal.Open(s, journal.Options{})
		require.NoError(t, err)
		require.NoError(t, j.Verify(t.Context()))
		require.ErrorIs(t, s.Commit([]journal.Write{set("k", "v")}), ErrNotWritable)
		require.NoError(t, j.Close())
		assert.Equal(t, w.image, filesOf(t, disk.fs, "store"), "not a byte is changed")
	}
}

// Why a folder's lock cannot be had is said, not guessed.
func TestLockError(t *testing.T) {
	for want, cause := range map[error][]error{
		ErrInUse: {syscall.EAGAIN, syscall.EACCES, errors.New("lock held by current process")},
		ErrNotWritable: {&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EROFS},
			&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EACCES}, syscall.EROFS},
		syscall.EIO: {&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EIO}},
	} {
		for _, c := range cause {
			err := lockError("folder", c)
			assert.ErrorIs(t, err, want, "%v", c)
			assert.Equal(t, errors.Is(want, ErrInUse), errors.Is(err, ErrInUse), "%v", c)
		}
	}
}
