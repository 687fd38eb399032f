package fsck

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// filled is a folder with a store of n commits, closed or as a killed process
// leaves it.
func filled(t *testing.T, n int, closed bool) (dir string, want []string) {
	t.Helper()
	writing := t.TempDir()
	s := mustOpen(t, writing, store.Options{})
	for i := range n {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%03d", i), strings.Repeat("v", 1000)),
			set("newest", fmt.Sprint(i))}))
		if i == n/2 {
			require.NoError(t, s.Flush())
		}
	}
	want = all(t, s, nil, nil)
	if closed {
		require.NoError(t, s.Close())
		return writing, want
	}
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(writing)))
	require.NoError(t, s.Close())
	return dir, want
}

func damageFile(t *testing.T, pattern string, at int64) {
	t.Helper()
	damageEnd(t, pattern, at)
}

// damageEnd changes a bit, from the end of the file if at is negative.
func damageEnd(t *testing.T, pattern string, at int64) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, pattern)
	name := names[len(names)-1] // the newest
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	if at < 0 {
		at += int64(len(raw))
	}
	raw[at] ^= 0x10
	require.NoError(t, os.WriteFile(name, raw, 0o600))
}

func TestCheckFindsNothingInAWholeStore(t *testing.T) {
	for _, closed := range []bool{true, false} {
		dir, want := filled(t, 50, closed)
		r, err := Check(context.Background(), dir, Options{})
		require.NoError(t, err)
		assert.Empty(t, r.Faults)
		assert.Equal(t, len(want), r.Keys)
		assert.Equal(t, uint64(50), r.Commits)
		r, err = Repair(context.Background(), dir, Options{}, false)
		require.NoError(t, err)
		assert.Empty(t, r.Faults)
		assert.Empty(t, glob(t, dir, "damaged-*"), "nothing was changed")
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	return names
}

// A fault in one place is mended from the other, and the damaged files are kept.
func TestRepairMendsEachPlaceFromTheOther(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		at   int64
		good string
	}{
		"a table":             {"*.sst", 100, "log"},
		"the manifest":        {"MANIFEST-*", 20, "log"},
		"the log":             {"log/*.seg", wal.FramesAt + 1200, "tables"},
		"the log, at its end": {"log/*.seg", wal.FramesAt + 49*1070, "tables"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, want := filled(t, 50, true)
			damageFile(t, filepath.Join(dir, tt.file), tt.at)
			r, err := Check(context.Background(), dir, Options{})
			require.NoError(t, err)
			require.Len(t, r.Faults, 1)
			assert.Equal(t, tt.good, r.Faults[0].Good, "%s", r.Faults[0])
			assert.Zero(t, r.Loss)
			t.Log(r.Faults[0])

			again, err := Repair(context.Background(), dir, Options{}, false)
			require.NoError(t, err)
			assert.Equal(t, r.Faults, again.Faults)
			assert.DirExists(t, again.Kept)
			assert.Len(t, glob(t, dir, "damaged-*/log"), 1)
			r, err = Check(context.Background(), dir, Options{})
			require.NoError(t, err)
			assert.Empty(t, r.Faults, "twice is not needed")
			s := mustOpen(t, dir, store.Options{})
			assert.Equal(t, want, all(t, s, nil, nil))
			require.NoError(t, s.Commit([]journal.Write{set("more", "x")}))
			require.NoError(t, s.Close())
			r, err = Check(context.Background(), dir, Options{})
			require.NoError(t, err)
			assert.Empty(t, r.Faults)
			assert.Equal(t, uint64(51), r.Commits, "the numbering goes on")
		})
	}
}

// Both heads of the one segment cannot be read: Pebble has everything, and the log
// is written again from it.
func TestI4_LogWithoutHeads(t *testing.T) {
	dir, want := filled(t, 50, true)
	damageFile(t, filepath.Join(dir, "log/*.seg"), 20)
	damageFile(t, filepath.Join(dir, "log/*.seg"), wal.SlotBlock+20)
	r, err := Repair(context.Background(), dir, Options{}, false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	assert.Contains(t, r.Faults[0].Text, "neither of its heads can be read")
	s := mustOpen(t, dir, store.Options{})
	assert.Equal(t, want, all(t, s, nil, nil))
	require.NoError(t, s.Close())
}

// Anyone who stops waiting for a check is not kept by its search behind the damage, however
// many segments lie there.
func TestCheckStopsSearching(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64, Segment: 40 << 10})
	for i := range 60 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%03d", i), strings.Repeat("v", 5000))}))
	}
	disk = disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))) // nothing is in tables
	require.NoError(t, s.Close())
	names, err := disk.System().FS.List("store/log")
	require.NoError(t, err)
	require.Greater(t, len(names), 5)
	segment := func(i int) string { return wal.SegmentPath(disk.System().FS, "store/log", uint64(i+1)) }
	f, err := disk.System().FS.OpenReadWrite(segment(0), vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("damage"), wal.FramesAt+2*5000)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	for stop := 1; stop < len(names); stop++ { // the first is read before, too
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the caller has left")
		looked := 0
		disk.WatchReads(func(op storetest.Op) error {
			if op.Kind == "open" && op.Path == segment(stop) {
				if looked++; looked == 2 { // first for its heads
					cancel(gone)
				}
			} else if ctx.Err() != nil && op.Kind == "open" && strings.HasSuffix(op.Path, wal.Suffix) {
				t.Errorf("%s is opened after the caller has left", op.Path)
			}
			return nil
		})
		_, err := Check(ctx, "store", Options{Disk: disk})
		require.Equal(t, 2, looked)
		require.ErrorIs(t, err, gone, "while it searched segment %d", stop)
	}
	disk.WatchReads(nil)
	r, err := Check(t.Context(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.NotEmpty(t, r.Faults)
	assert.Equal(t, uint64(1), r.Loss.Commits, "those behind it are whole")
}
