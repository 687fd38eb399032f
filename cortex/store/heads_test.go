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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
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

// A commit whose frame stands in the log, and cannot be taken back before the store is
// closed, is not told to be one of which nothing was written.
func TestI4_WhatCannotBeTakenBackIsNotFull(t *testing.T) {
	var writes, refused atomic.Int64
	disk := NewDisk(func(op Op) error {
		if op.Kind == "write" && strings.HasSuffix(op.Path, suffix) && writes.Add(1) > 1 { // the frame is the first
			refused.Add(1)
			return syscall.ENOSPC
		}
		return nil
	})
	writes.Store(-1 << 30)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64}).(*store)
	require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
	writes.Store(0)
	told := make(chan error)
	go func() { told <- s.Commit([]journal.Write{set("second", "x")}) }()
	require.Eventually(t, func() bool { return refused.Load() >= 2 }, time.Minute, time.Millisecond)
	s.disk.space.hurry()
	err := <-told
	require.Error(t, err)
	require.NotErrorIs(t, err, journal.ErrFull)
	require.Error(t, s.Err(), "nothing is written any more")
	writes.Store(-1 << 30)
	_ = s.Close() // it is dead, and says so
}
