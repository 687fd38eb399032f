package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// A segment that lost both of its heads may hold commits: it is not taken for one
// that was never finished, and its frames, which follow on those before, are mended
// from.
func TestI4_SegmentsWithoutHeads(t *testing.T) {
	disk := NewDisk(nil)
	opt := Options{Reserve: 64, Segment: 300 << 10}
	opt.Disk = disk
	s := mustOpen(t, "store", opt)
	for i := range 40 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%02d", i), strings.Repeat("v", 20_000))}))
	}
	want := all(t, s, nil, nil)
	files := filesOf(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).fs, "store")
	require.NoError(t, s.Close())
	for _, number := range []string{"00000001", "00000002", "00000003"} {
		t.Run(number, func(t *testing.T) {
			opt := opt
			opt.Disk = files.without(t, "store/log/"+number+suffix).durable(t, "", 0)
			var damage *Damage
			_, err := Open("store", opt)
			require.ErrorAs(t, err, &damage)
			r, err := Repair(context.Background(), "store", opt, false)
			require.NoError(t, err)
			require.Len(t, r.Faults, 1)
			assert.Contains(t, r.Faults[0].Text, "neither of its heads can be read")
			s := mustOpen(t, "store", opt)
			assert.True(t, slices.Equal(want, all(t, s, nil, nil)), "all commits are there")
			require.NoError(t, s.Close())
		})
	}
}

// without is a copy in which one segment has no heads.
func (f image) without(t *testing.T, segment string) image {
	t.Helper()
	out := image{}
	for name, raw := range f {
		out[name] = slices.Clone(raw)
	}
	require.Greater(t, len(out[segment]), framesAt, "%s", segment)
	clear(out[segment][:framesAt])
	return out
}

// A store without a single commit is mended to one that opens.
func TestI4_RepairOfAnEmptyStore(t *testing.T) {
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Close())
	files := filesOf(t, disk.fs, "store")
	disk = files.durable(t, files.newest(t, "/MANIFEST-"), 10)
	r, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	s = mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
	require.NoError(t, s.Close())
	assert.Equal(t, map[string]string{"first": "x"}, everything(t, disk))
}

// Tables beside the log of another store are not opened, also where the log has
// forgotten all commits that could be compared.
func TestI4_TablesBesideAnotherLog(t *testing.T) {
	filesWith := func(value string) image {
		disk := NewDisk(nil)
		s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64}).(*store)
		for i := range 20 {
			require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%02d", i), value)}))
		}
		require.NoError(t, s.Compact(t.Context()))
		require.NoError(t, s.Close())
		return filesOf(t, disk.fs, "store")
	}
	mine, other := filesWith("mine"), filesWith("other")
	for name := range mine {
		if strings.Contains(name, "/log/") {
			mine[name] = other[name]
		}
	}
	var damage *Damage
	_, err := Open("store", Options{Disk: mine.durable(t, "", 0), Reserve: 64})
	require.ErrorAs(t, err, &damage)
	assert.Equal(t, uint64(20), damage.Frame)
}

// However large a commit is, the keeper hears that it is in the log alone.
func TestKeeperHearsOfLargeCommits(t *testing.T) {
	s := mustOpen(t, "store", Options{Disk: NewDisk(nil), Reserve: 64}).(*store)
	s.keeper.stop()
	require.NoError(t, s.Commit([]journal.Write{set("large", strings.Repeat("v", keepBuffer))}))
	assert.Greater(t, s.keeper.behind.Load(), int64(keepBuffer))
	require.NoError(t, s.Close())
}

// copying is a disk that copies on write and takes no more of the log's writes, not even
// over what is there, once it has taken so many.
type copying struct {
	*Disk
	left   atomic.Int64
	synced atomic.Pointer[func()] // called before each sync of the log's
}

func newCopying() *copying {
	c := &copying{}
	c.left.Store(1 << 30)
	c.Disk = NewDisk(func(op Op) error {
		if op.Kind == "write" && strings.HasSuffix(op.Path, suffix) && c.left.Add(-1) < 0 {
			return syscall.ENOSPC
		}
		if f := c.synced.Load(); f != nil && op.Kind == "sync" && strings.HasSuffix(op.Path, suffix) {
			(*f)()
		}
		return nil
	})
	return c
}

// A disk that copies on write may take a part of a commit and then nothing more, not
// even what would undo that part. The commit is refused at once all the same, has left
// nothing whenever the power goes, and the next ones are durable when there is space.
func TestI4_AFullDiskThatCopiesOnWrite(t *testing.T) {
	crashtest.Long(t)
	for taken := range int64(3) { // writes of the commit; it has two
		for name, then := range map[string]func(s *store) error{
			"nothing": func(*store) error { return nil },
			"compact": func(s *store) error { return s.Compact(context.Background()) },
		} {
			t.Run(fmt.Sprintf("%d, then %s", taken, name), func(t *testing.T) {
				first, third := []string{"first=x"}, []string{"first=x", ""}
				disk := newCopying()
				s := mustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64}).(*store)
				left := func(want ...[]string) {
					for i := range uint64(12) {
						cut := disk.PowerCut(int(i)*100/11, rand.New(rand.NewPCG(i, 1)))
						again, err := Open("store", Options{Disk: cut, Reserve: 64})
						if assert.NoError(t, err) {
							assert.Contains(t, want, all(t, again, nil, nil))
							assert.NoError(t, again.Close())
						}
					}
				}
				require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
				disk.left.Store(taken)
				err := s.Commit([]journal.Write{set("second", "x")})
				if taken == 2 {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, journal.ErrFull)
				left(first)
				require.ErrorIs(t, s.Commit([]journal.Write{set("second", "y")}), journal.ErrFull)
				left(first)
				if err := then(s); err != nil {
					require.ErrorIs(t, err, journal.ErrFull)
				}
				left(first)
				disk.left.Store(1 << 30)
				require.NoError(t, then(s))
				left(first)
				between := func() { left(first, third) } // before a commit is synced
				disk.synced.Store(&between)
				for n, err := int64(0), journal.ErrFull; err != nil; n++ { // each write of the next one is refused
					left(first)
					disk.left.Store(n)
					third[1] = fmt.Sprint("third=", n)
					err = s.Commit([]journal.Write{set("third", fmt.Sprint(n))})
				}
				disk.left.Store(1 << 30)
				disk.synced.Store(nil)
				left(third)
				require.NoError(t, s.Close())
				left(third)
			})
		}
	}
}

// It can be closed in that state.
func TestI4_ClosingOnAFullDiskThatCopiesOnWrite(t *testing.T) {
	for taken := range int64(2) {
		disk := newCopying()
		s := mustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64})
		require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
		disk.left.Store(taken)
		require.ErrorIs(t, s.Commit([]journal.Write{set("second", "x")}), journal.ErrFull)
		_ = s.Close() // there is no space to say that it was
		disk.left.Store(1 << 30)
		assert.Equal(t, []string{"first=x"}, reopened(t, disk.Disk))
	}
}
