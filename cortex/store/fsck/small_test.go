package fsck

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// newestHead is what the log says of itself.
func newestHead(t *testing.T, disk *storetest.Disk) *wal.Slot {
	t.Helper()
	segs, err := wal.Segments(disk.System().FS, "store/log")
	require.NoError(t, err)
	return segs[len(segs)-1].Newest()
}

// with is the tables of one image beside the log of another.
func with(f, log image.Image) image.Image {
	out := image.Image{}
	for name, raw := range f {
		if !strings.HasPrefix(name, "store/log/") {
			out[name] = raw
		}
	}
	maps.Copy(out, filter(log, "store/log/"))
	return out
}

func filter(f image.Image, prefix string) image.Image {
	out := maps.Clone(f)
	maps.DeleteFunc(out, func(name string, _ []byte) bool { return !strings.HasPrefix(name, prefix) })
	return out
}

// written is a closed store in which these values were written under one key, each with a
// commit of its own; and what it was after the first ones, killed.
func writtenInTurn(t *testing.T, first int, values ...string) (killed, closed image.Image) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	for i, v := range values {
		require.NoError(t, s.Commit([]journal.Write{set("k", v)}))
		if i+1 == first {
			require.NoError(t, s.Flush())
			killed = image.Files(t, disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))).System().FS, "store")
		}
	}
	require.NoError(t, s.Close())
	return killed, image.Files(t, disk.System().FS, "store")
}

// Tables and log that hold the same at the end, and came there by other ways, are not one
// store's; tables that are older than a log which was closed have lost something.
func TestCheckComparesWhereTheTablesEnd(t *testing.T) {
	older, one := writtenInTurn(t, 2, "a", "b", "c")
	_, other := writtenInTurn(t, 2, "a", "x", "c")
	for want, files := range map[string]image.Image{
		"the tables have another commit of this number":                 with(one, other),
		"the tables end with commit 2, and had commit 3 when the store": with(older, one),
	} {
		disk, err := files.Disk("", nil)
		require.NoError(t, err)
		r, err := Check(t.Context(), "store", Options{Disk: disk})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1, want)
		assert.Contains(t, r.Faults[0].Text, want)
		assert.Equal(t, inLog, r.Faults[0].Good)
	}
}

func tablesIn(disk *storetest.Disk) (n int) {
	names, _ := disk.System().FS.List("store")
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			n++
		}
	}
	return n
}

// What was deleted does not come back with a repair, though the commit that deleted it
// cannot be read any more: the tables knew.
func TestRepairBringsNothingBack(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i, w := range []journal.Write{set("gone", "x"), {Key: []byte("gone")}, set("kept", "x"), set("lost", "x"),
		set("behind", "x")} {
		require.NoError(t, s.Commit([]journal.Write{w}))
		ends = append(ends, newestHead(t, disk).End)
		if i == 0 || i == 2 {
			require.NoError(t, s.Flush())
		}
		if i == 2 { // nothing is left of the deletion itself
			require.NoError(t, s.Reclaim(t.Context(), []byte("a"), []byte("z")))
			require.Eventually(t, func() bool { return tablesIn(disk) == 1 }, 10*time.Second, time.Millisecond)
		}
	}
	// Pebble works on meanwhile: only a crash takes all files at one moment.
	files := image.Files(t, disk.PowerCut(0, nil).System().FS, "store")
	require.NoError(t, s.Close())
	image.Flip(files, "store/log/00000001.seg", int(ends[1])-1)
	image.Flip(files, "store/log/00000001.seg", int(ends[3])-1)
	disk, err := files.Disk("", nil)
	require.NoError(t, err)
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, false)
	var loss *LossError
	require.True(t, errors.As(err, &loss), "%v", err)
	assert.Equal(t, uint64(1), loss.Loss.Commits, fmt.Sprint(loss))
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, true)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"kept": "x", "behind": "x"}, everything(t, disk))
}

// The last commit but one is damaged, and the newer head, which names the last: that is
// not what a crash leaves, and nothing is written over the commit that is whole.
func TestI4_AWholeCommitBehindIsNoTear(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i := range 5 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), "v")}))
		ends = append(ends, newestHead(t, disk).End)
	}
	newer := int(newestHead(t, disk).Turn%2) * wal.SlotBlock
	files := image.Files(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).System().FS, "store")
	require.NoError(t, s.Close())
	const name = "store/log/00000001.seg"
	image.Flip(files, name, newer+20)
	image.Flip(files, name, int(ends[3])-1)
	disk, err := files.Disk("", nil)
	require.NoError(t, err)
	_, err = store.Open("store", store.Options{Disk: disk, Reserve: 64})
	var d *guard.Damage
	require.ErrorAs(t, err, &d)
	assert.Contains(t, d.Text, "commit 5 stands behind it")
	r, err := Check(t.Context(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.Zero(t, r.Torn)
	assert.Equal(t, uint64(1), r.Loss.Commits)
}

// The last commit is not whole in the log, as after a crash, and Pebble's list of tables
// has lost its end: the tables that it does not know any more have that commit.
func TestI4_TablesThatTheListLost(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	images, end := []image.Image{}, int64(0)
	for i := range 3 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), "v")}))
		require.NoError(t, s.Flush())
		images = append(images, image.Files(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).System().FS, "store"))
		end = newestHead(t, disk).End
	}
	require.NoError(t, s.Close())
	files := images[2]
	manifest := files.Newest(t, "store/MANIFEST")
	require.Less(t, len(images[1][manifest]), len(files[manifest]))
	files[manifest] = images[1][manifest]
	image.Flip(files, "store/log/00000001.seg", int(end)-1)
	disk, err := files.Disk("", nil)
	require.NoError(t, err)
	r, err := Repair(t.Context(), "store", Options{Disk: disk}, false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	assert.Zero(t, r.Torn)
	assert.Len(t, everything(t, disk), 3)
}

// The log has lost its last segment, which nothing else in it names, and Pebble the file
// that names its tables: what only these have is found.
func TestI4_TablesWithoutAListBesideAShorterLog(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64, Segment: 40 << 10})
	for i := range 12 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), strings.Repeat("v", 5000))}))
	}
	require.NoError(t, s.Flush())
	files := image.Files(t, disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))).System().FS, "store")
	require.NoError(t, s.Close())
	delete(files, files.Newest(t, "marker.manifest"))
	require.Len(t, files.Named(wal.Suffix), 2)
	delete(files, files.Newest(t, wal.Suffix))
	disk, err := files.Disk("", nil)
	require.NoError(t, err)
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, true)
	require.NoError(t, err)
	assert.Len(t, everything(t, disk), 12)
}
