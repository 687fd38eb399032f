package fsck

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// closedImage is a store of a few commits, closed, and what it holds.
func closedImage(t *testing.T) (image.Image, map[string]string) {
	t.Helper()
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	rec := &tape{Store: s}
	for i := range 20 {
		require.NoError(t, rec.Commit([]journal.Write{set(fmt.Sprintf("k%d", i), strings.Repeat("v", 100*i)),
			set("newest", fmt.Sprint(i))}))
	}
	require.NoError(t, s.Close())
	return image.Files(t, disk.System().FS, "store"), rec.upTo(20)
}

func everything(t *testing.T, disk *storetest.Disk) map[string]string {
	t.Helper()
	s, err := store.Open("store", store.Options{Disk: disk, Reserve: 64})
	require.NoError(t, err)
	got := map[string]string{}
	require.NoError(t, s.Scan(nil, nil, func(k, v []byte) bool { got[string(k)] = string(v); return true }))
	require.NoError(t, s.Close())
	return got
}

// The power goes, or the disk fails, at each step of a repair: the next repair, or
// the next opening, comes out where this one would have.
func TestI4_RepairCutOffAnywhere(t *testing.T) {
	crashtest.Long(t)
	files, want := closedImage(t)
	for _, part := range []string{".sst", ".seg"} {
		damaged := files.Newest(t, part)
		at := 9000 % len(files[damaged])
		for _, percent := range []int{0, 50, 100} {
			t.Run(fmt.Sprintf("%s %d %%", part, percent), func(t *testing.T) {
				opened, steps := 0, 0
				stride := 1
				if percent > 0 && os.Getenv("CORTEX_TORTURE") == "" {
					stride = 3
				}
				for n := 0; ; n += stride {
					disk := files.Durable(t, damaged, at)
					var cut *storetest.Disk
					var mu sync.Mutex // Pebble deletes in a goroutine of its own
					count, rng := 0, rand.New(rand.NewPCG(uint64(n), 5))
					disk.Watch(func(storetest.Op) error {
						mu.Lock()
						defer mu.Unlock()
						if count++; count-1 == n {
							cut = disk.PowerCut(percent, rng)
						}
						return nil
					})
					r, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
					require.NoError(t, err)
					require.NotEmpty(t, r.Faults)
					if cut == nil {
						break
					}
					steps++
					r, err = Check(context.Background(), "store", Options{Disk: cut})
					require.NoError(t, err, "step %d", n)
					if len(r.Faults) == 0 || n%4 < 2 && strings.Contains(r.Faults[0].Text, "a repair was cut off") {
						opened++
					} else {
						_, err = Repair(context.Background(), "store", Options{Disk: cut}, false)
						require.NoError(t, err, "step %d: %v", n, r.Faults)
					}
					require.Equal(t, want, everything(t, cut), "step %d", n)
					r, err = Check(context.Background(), "store", Options{Disk: cut})
					require.NoError(t, err)
					require.Empty(t, r.Faults, "step %d", n)
				}
				assert.Greater(t, steps, 120/stride, "hardly anything was cut off")
				assert.Positive(t, opened)
				crashtest.Result{Harness: "torture-repair", Trials: steps, Seed: 1,
					More: fmt.Sprintf("opening was enough %d times", opened)}.Report(t)
			})
		}
		t.Run(part+" fails", func(t *testing.T) {
			for n := 0; ; n++ {
				disk, count := files.Durable(t, damaged, at), 0
				var mu sync.Mutex
				disk.Watch(func(storetest.Op) error {
					mu.Lock()
					defer mu.Unlock()
					if count++; count-1 == n {
						return syscall.EIO
					}
					return nil
				})
				_, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
				if count <= n {
					require.NoError(t, err)
					break
				}
				disk.Watch(nil)
				if err == nil {
					require.Equal(t, want, everything(t, disk), "what failed was a wish; step %d", n)
					continue
				}
				require.ErrorIs(t, err, syscall.EIO, "step %d", n)
				_, err = Repair(context.Background(), "store", Options{Disk: disk}, false)
				require.NoError(t, err, "step %d", n)
				require.Equal(t, want, everything(t, disk), "step %d", n)
			}
		})
	}
}

// Whatever it finds, a check changes nothing, and neither does a repair that is
// refused.
func TestCheckChangesNothing(t *testing.T) {
	files, _ := closedImage(t)
	for name, raw := range files {
		if len(raw) == 0 {
			continue
		}
		disk := files.Durable(t, name, len(raw)/2)
		before := image.Files(t, disk.System().FS, "store")
		disk.Watch(func(op storetest.Op) error { t.Errorf("%s: %v", name, op); return nil })
		_, err := Check(context.Background(), "store", Options{Disk: disk})
		require.NoError(t, err)
		assert.Equal(t, before, image.Files(t, disk.System().FS, "store"))
	}
}

// What neither place has whole is not given up without a word, and it is said how
// much it is.
func TestRepairRefusesToLose(t *testing.T) {
	files, _ := closedImage(t)
	disk := files.Durable(t, files.Newest(t, ".sst"), 50)
	mem := disk.System().FS
	name := files.Newest(t, ".seg")
	raw := image.ContentsOf(t, mem, name, int64(len(files[name])))
	raw[wal.FramesAt+10_000] ^= 1
	require.NoError(t, image.Put(mem, name, raw))
	before := image.Files(t, mem, "store")

	_, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
	var loss *LossError
	require.ErrorAs(t, err, &loss)
	assert.Positive(t, loss.Loss.Commits)
	assert.Equal(t, before, image.Files(t, mem, "store"), "nothing was changed")

	r, err := Repair(context.Background(), "store", Options{Disk: disk}, true)
	require.NoError(t, err)
	assert.Equal(t, loss.Loss, r.Loss)
	assert.Equal(t, uint64(1), loss.Loss.Commits)
	left := everything(t, disk)
	assert.Equal(t, "19", left["newest"], "what stands behind the commit that is missing")
	r, err = Check(context.Background(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.Empty(t, r.Faults)
}

func TestCheckAndRepairOfOthers(t *testing.T) {
	_, err := Check(context.Background(), t.TempDir(), Options{})
	require.ErrorContains(t, err, "there is no store")
	dir := t.TempDir()
	s := mustOpen(t, dir, store.Options{})
	_, err = Check(context.Background(), dir, Options{})
	require.ErrorIs(t, err, guard.ErrInUse)
	_, err = Repair(context.Background(), dir, Options{}, true)
	require.ErrorIs(t, err, guard.ErrInUse)
	require.NoError(t, s.Close())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir, _ = filled(t, 3, true)
	_, err = Check(ctx, dir, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// What an end of the process has left half done is never taken for the store, and is
// gone when the store was opened again; what a repair has put aside stays.
func TestI4_WhatWasLeftHalfDone(t *testing.T) {
	files, want := closedImage(t)
	left := image.Image{
		"store/log/base-7.new":                        []byte("half of a base"),
		"store/repair/000009.sst":                     []byte("half of a table"),
		"store/repair/log/00000001.seg":               make([]byte, 100),
		"store/temporary.000011.dbtmp":                []byte("half of the options"),
		"store/" + folder.KeepPrefix + "x/000001.log": []byte("kept"),
	}
	maps.Copy(left, files)
	disk := left.Durable(t, "", 0)
	r, err := Check(t.Context(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.Empty(t, r.Faults)
	assert.Equal(t, want, everything(t, disk))
	for name := range left {
		_, err := disk.System().FS.Stat(name)
		if files[name] != nil || strings.Contains(name, folder.KeepPrefix) {
			continue // what Pebble has renewed of its own is not looked at
		}
		assert.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	_, err = disk.System().FS.Stat("store/" + folder.KeepPrefix + "x/000001.log")
	assert.NoError(t, err)

	disk = left.Durable(t, "", 0)
	disk.Watch(func(op storetest.Op) error {
		if op.Kind == "remove" && op.Path == "store/repair" {
			return syscall.EACCES
		}
		return nil
	})
	assert.Equal(t, want, everything(t, disk), "it does no harm")
}
