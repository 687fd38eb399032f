package store

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// What the store itself keeps among the keys cannot be written over.
func TestCommitRefusesTheStoresOwnKeys(t *testing.T) {
	s := mustOpen(t, "", Options{})
	for _, key := range []string{"", "\x00a", "\x00"} {
		require.Error(t, s.Commit([]journal.Write{set("good", "x"), {Key: []byte(key), Value: []byte("x")}}), "%q", key)
	}
	assert.Empty(t, all(t, s, nil, nil), "all or nothing")
	require.NoError(t, s.Close())
}

// Tables that were written without a log are somebody else's.
func TestTablesWithoutALogAreRefused(t *testing.T) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.(*store).db.Set([]byte("k"), []byte("v"), pebble.NoSync))
	require.NoError(t, s.Close())
	_, err := Open("store", Options{Disk: disk, Reserve: 64})
	require.ErrorIs(t, err, ErrFormat)
	r, err := Check(t.Context(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.NotEmpty(t, r.Faults)
}

// with is the tables of one image beside the log of another.
func (f image) with(log image) image {
	out := image{}
	for name, raw := range f {
		if !strings.HasPrefix(name, "store/log/") {
			out[name] = raw
		}
	}
	maps.Copy(out, filter(log, "store/log/"))
	return out
}

func filter(f image, prefix string) image {
	out := maps.Clone(f)
	maps.DeleteFunc(out, func(name string, _ []byte) bool { return !strings.HasPrefix(name, prefix) })
	return out
}

// written is a closed store in which these values were written under one key, each with a
// commit of its own; and what it was after the first ones, killed.
func writtenInTurn(t *testing.T, first int, values ...string) (killed, closed image) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	for i, v := range values {
		require.NoError(t, s.Commit([]journal.Write{set("k", v)}))
		if i+1 == first {
			require.NoError(t, s.(*store).flush())
			killed = filesOf(t, disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))).fs, "store")
		}
	}
	require.NoError(t, s.Close())
	return killed, filesOf(t, disk.fs, "store")
}

// Tables and log that hold the same at the end, and came there by other ways, are not one
// store's; tables that are older than a log which was closed have lost something.
func TestCheckComparesWhereTheTablesEnd(t *testing.T) {
	older, one := writtenInTurn(t, 2, "a", "b", "c")
	_, other := writtenInTurn(t, 2, "a", "x", "c")
	for want, files := range map[string]image{
		"the tables have another commit of this number":                 one.with(other),
		"the tables end with commit 2, and had commit 3 when the store": older.with(one),
	} {
		disk, err := files.disk("", nil)
		require.NoError(t, err)
		r, err := Check(t.Context(), "store", Options{Disk: disk})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1, want)
		assert.Contains(t, r.Faults[0].Text, want)
		assert.Equal(t, inLog, r.Faults[0].Good)
	}
}

// A sync that was refused for want of space is not tried again: what it was to write may
// be lost already.
func TestARefusedSyncIsDeath(t *testing.T) {
	disk := NewDisk(nil)
	var out atomic.Bool
	disk.Watch(func(op Op) error {
		if op.Kind == "sync" && strings.HasSuffix(op.Path, ".sst") && out.CompareAndSwap(true, false) {
			return syscall.ENOSPC
		}
		return nil
	})
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Commit([]journal.Write{set("k", "v")}))
	out.Store(true)
	require.ErrorIs(t, s.(*store).flush(), syscall.ENOSPC)
	require.ErrorIs(t, s.Err(), syscall.ENOSPC)
	require.NoError(t, s.Close())
}

func tablesIn(disk *Disk) (n int) {
	names, _ := disk.fs.List("store")
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
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i, w := range []journal.Write{set("gone", "x"), {Key: []byte("gone")}, set("kept", "x"), set("lost", "x"),
		set("behind", "x")} {
		require.NoError(t, s.Commit([]journal.Write{w}))
		ends = append(ends, s.(*store).log.tail.end)
		if i == 0 || i == 2 {
			require.NoError(t, s.(*store).flush())
		}
		if i == 2 { // nothing is left of the deletion itself
			require.NoError(t, s.(*store).db.Compact(t.Context(), []byte("a"), []byte("z"), false))
			require.Eventually(t, func() bool { return tablesIn(disk) == 1 }, 10*time.Second, time.Millisecond)
		}
	}
	// Pebble works on meanwhile: only a crash takes all files at one moment.
	files := filesOf(t, disk.PowerCut(0, nil).fs, "store")
	require.NoError(t, s.Close())
	flip(files, "store/log/00000001.seg", int(ends[1])-1)
	flip(files, "store/log/00000001.seg", int(ends[3])-1)
	disk, err := files.disk("", nil)
	require.NoError(t, err)
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, false)
	var loss *LossError
	require.True(t, errors.As(err, &loss), "%v", err)
	assert.Equal(t, uint64(1), loss.Loss.Commits, fmt.Sprint(loss))
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, true)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"kept": "x", "behind": "x"}, everything(t, disk))
}

// The last commit but one is damaged, and the newer head, which tells of the last: that is
// not what a crash leaves, and nothing is written over the commit that is whole.
func TestI4_AWholeCommitBehindIsNoTear(t *testing.T) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i := range 5 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), "v")}))
		ends = append(ends, s.(*store).log.tail.end)
	}
	newer := int(s.(*store).log.turn%2) * slotBlock
	files := filesOf(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).fs, "store")
	require.NoError(t, s.Close())
	const name = "store/log/00000001.seg"
	flip(files, name, newer+20)
	flip(files, name, int(ends[3])-1)
	disk, err := files.disk("", nil)
	require.NoError(t, err)
	_, err = Open("store", Options{Disk: disk, Reserve: 64})
	var d *Damage
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
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	images, end := []image{}, int64(0)
	for i := range 3 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), "v")}))
		require.NoError(t, s.(*store).flush())
		images = append(images, filesOf(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).fs, "store"))
		end = s.(*store).log.tail.end
	}
	require.NoError(t, s.Close())
	files := images[2]
	manifest := files.newest(t, "store/MANIFEST")
	require.Less(t, len(images[1][manifest]), len(files[manifest]))
	files[manifest] = images[1][manifest]
	flip(files, "store/log/00000001.seg", int(end)-1)
	disk, err := files.disk("", nil)
	require.NoError(t, err)
	r, err := Repair(t.Context(), "store", Options{Disk: disk}, false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	assert.Zero(t, r.Torn)
	assert.Len(t, everything(t, disk), 3)
}

// The log has lost its last segment, which nothing else in it tells of, and Pebble the file
// that names its tables: what only these have is found.
func TestI4_TablesWithoutAListBesideAShorterLog(t *testing.T) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64, Segment: 40 << 10})
	for i := range 12 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), strings.Repeat("v", 5000))}))
	}
	require.NoError(t, s.(*store).flush())
	files := filesOf(t, disk.PowerCut(100, rand.New(rand.NewPCG(1, 1))).fs, "store")
	require.NoError(t, s.Close())
	delete(files, files.newest(t, "marker.manifest"))
	require.Len(t, files.named(suffix), 2)
	delete(files, files.newest(t, suffix))
	disk, err := files.disk("", nil)
	require.NoError(t, err)
	_, err = Repair(t.Context(), "store", Options{Disk: disk}, true)
	require.NoError(t, err)
	assert.Len(t, everything(t, disk), 12)
}

// A write that wrote less than it was given has failed, whatever the disk says.
func TestAWriteThatIsCutShortIsAnError(t *testing.T) {
	for n := range 4 {
		assert.Equal(t, n < 3, short(n, []byte("abc"), nil) != nil, n)
	}
	assert.ErrorIs(t, short(3, []byte("abc"), io.EOF), io.EOF)
}

// The newer head of a segment counts, wherever it stands.
func TestSegment_Newest(t *testing.T) {
	old, fresh := &slot{turn: 2}, &slot{turn: 3}
	for _, c := range []struct {
		slots [2]*slot
		want  *slot
	}{{[2]*slot{old, fresh}, fresh}, {[2]*slot{fresh, old}, fresh}, {[2]*slot{nil, old}, old}, {[2]*slot{old, nil}, old},
		{}} {
		assert.Same(t, c.want, (&segment{slots: c.slots}).newest())
	}
}

// The folder of a segment that was made is synced before anything is acknowledged, or a
// power cut takes the whole segment.
func TestBegin_TheFolderIsSynced(t *testing.T) {
	disk, made, synced := NewDisk(nil), false, false
	disk.Watch(func(op Op) error {
		made = made || op.Kind == "create" && strings.HasSuffix(op.Path, suffix)
		synced = synced || made && op.Kind == "sync" && op.Path == "store/log"
		return nil
	})
	l := &segmentLog{disk: &guarded{FS: disk.fs, death: newDeath(slog.New(slog.DiscardHandler)), before: disk.before},
		dir: "store/log", most: segmentCap}
	require.NoError(t, makeDir(l.disk, "store/log"))
	require.NoError(t, l.begin(1, mark{}))
	assert.True(t, made)
	assert.True(t, synced)
	require.NoError(t, l.close())
}

// A head that tells of a commit which the disk refused is taken back before the next
// commit is written: three writes, and two from then on.
func TestAgree_TheHeadIsTakenBackFirst(t *testing.T) {
	disk := newCopying()
	s := mustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64}).(*store)
	require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
	disk.left.Store(1)
	require.ErrorIs(t, s.Commit([]journal.Write{set("second", "x")}), journal.ErrFull)
	for _, writes := range []int64{3, 2} {
		disk.left.Store(100)
		require.NoError(t, s.Commit([]journal.Write{set("second", "y")}))
		assert.Equal(t, writes, 100-disk.left.Load())
	}
	require.NoError(t, s.Close())
}

// What is left of a frame that a crash cut off is written over as soon as the store opens.
func TestResume_ATornFrameIsErased(t *testing.T) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	ends := []int64{}
	for i := range 2 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprint("k", i), "v")}))
		ends = append(ends, s.(*store).log.tail.end)
	}
	files := filesOf(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).fs, "store")
	require.NoError(t, s.Close())
	const name = "store/log/00000001.seg"
	flip(files, name, int(ends[1])-1)
	torn, err := files.disk("", nil)
	require.NoError(t, err)
	s = mustOpen(t, "store", Options{Disk: torn, Reserve: 64})
	raw, err := contents(torn.fs, &segment{path: name, size: ends[0] + frameHead})
	require.NoError(t, err)
	assert.Equal(t, make([]byte, frameHead), raw[ends[0]:])
	require.NoError(t, s.Close())
	assert.Equal(t, map[string]string{"k0": "v"}, everything(t, torn))
}
