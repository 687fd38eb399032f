package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// Tables beside the log of another store are not opened, also where the log has
// forgotten all commits that could be compared.
func TestI4_TablesBesideAnotherLog(t *testing.T) {
	filesWith := func(value string) image.Image {
		disk := storetest.NewDisk(nil)
		s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64}).(*store)
		for i := range 20 {
			require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%02d", i), value)}))
		}
		require.NoError(t, s.Compact(t.Context()))
		require.NoError(t, s.Close())
		return image.Files(t, disk.System().FS, "store")
	}
	mine, other := filesWith("mine"), filesWith("other")
	for name := range mine {
		if strings.Contains(name, "/log/") {
			mine[name] = other[name]
		}
	}
	var damage *Damage
	_, err := Open("store", Options{Disk: mine.Durable(t, "", 0), Reserve: 64})
	require.ErrorAs(t, err, &damage)
	assert.Equal(t, uint64(20), damage.Frame)
}

// However large a commit is, the keeper hears that it is in the log alone.
func TestKeeperHearsOfLargeCommits(t *testing.T) {
	s := MustOpen(t, "store", Options{Disk: storetest.NewDisk(nil), Reserve: 64}).(*store)
	s.keeper.stop()
	require.NoError(t, s.Commit([]journal.Write{Set("large", strings.Repeat("v", 8<<20))}))
	assert.Greater(t, s.keeper.behind.Load(), int64(8<<20))
	require.NoError(t, s.Close())
}

// copying is a disk that copies on write and takes no more of the log's writes, not even
// over what is there, once it has taken so many.
type copying struct {
	*storetest.Disk
	left   atomic.Int64
	synced atomic.Pointer[func()] // called before each sync of the log's
}

func newCopying() *copying {
	c := &copying{}
	c.left.Store(1 << 30)
	c.Disk = storetest.NewDisk(func(op storetest.Op) error {
		if op.Kind == "write" && strings.HasSuffix(op.Path, wal.Suffix) && c.left.Add(-1) < 0 {
			return syscall.ENOSPC
		}
		if f := c.synced.Load(); f != nil && op.Kind == "sync" && strings.HasSuffix(op.Path, wal.Suffix) {
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
				s := MustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64}).(*store)
				left := func(want ...[]string) {
					for i := range uint64(12) {
						cut := disk.PowerCut(int(i)*100/11, rand.New(rand.NewPCG(i, 1)))
						again, err := Open("store", Options{Disk: cut, Reserve: 64})
						if assert.NoError(t, err) {
							assert.Contains(t, want, All(t, again, nil, nil))
							assert.NoError(t, again.Close())
						}
					}
				}
				require.NoError(t, s.Commit([]journal.Write{Set("first", "x")}))
				disk.left.Store(taken)
				err := s.Commit([]journal.Write{Set("second", "x")})
				if taken == 2 {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, journal.ErrFull)
				left(first)
				require.ErrorIs(t, s.Commit([]journal.Write{Set("second", "y")}), journal.ErrFull)
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
					err = s.Commit([]journal.Write{Set("third", fmt.Sprint(n))})
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
		s := MustOpen(t, "store", Options{Disk: disk.Disk, Reserve: 64})
		require.NoError(t, s.Commit([]journal.Write{Set("first", "x")}))
		disk.left.Store(taken)
		require.ErrorIs(t, s.Commit([]journal.Write{Set("second", "x")}), journal.ErrFull)
		_ = s.Close() // there is no space to say that it was
		disk.left.Store(1 << 30)
		assert.Equal(t, []string{"first=x"}, reopened(t, disk.Disk))
	}
}
