package store

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// durable makes a disk on which all of files is durable, one of them damaged.
func (f image) durable(t *testing.T, damaged string, at int) *Disk {
	t.Helper()
	mem := vfs.NewCrashableMem()
	for name, raw := range f {
		if name == damaged {
			raw = bytes.Clone(raw)
			raw[at] ^= 8
		}
		require.NoError(t, mem.MkdirAll(path.Dir(name), 0o700))
		require.NoError(t, put(mem, name, raw))
	}
	return newDisk(mem, nil).PowerCut(100, rand.New(rand.NewPCG(1, 1)))
}

// closedImage is a store of a few commits, closed, and what it holds.
func closedImage(t *testing.T) (image, map[string]string) {
	t.Helper()
	disk := NewDisk(nil)
	s := mustOpen(t, "store", Options{Disk: disk, Reserve: 64})
	rec := &tape{Store: s}
	for i := range 20 {
		require.NoError(t, rec.Commit([]journal.Write{set(fmt.Sprintf("k%d", i), strings.Repeat("v", 100*i)),
			set("newest", fmt.Sprint(i))}))
	}
	require.NoError(t, s.Close())
	return filesOf(t, disk.fs, "store"), rec.upTo(20)
}

// newest is the last file of a kind.
func (f image) newest(t *testing.T, part string) string {
	t.Helper()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(n string) bool { return !strings.Contains(n, part) })
	require.NotEmpty(t, names)
	return names[len(names)-1]
}

func everything(t *testing.T, disk *Disk) map[string]string {
	t.Helper()
	s, err := Open("store", Options{Disk: disk, Reserve: 64})
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
		damaged := files.newest(t, part)
		at := 9000 % len(files[damaged])
		for _, percent := range []int{0, 50, 100} {
			t.Run(fmt.Sprintf("%s %d %%", part, percent), func(t *testing.T) {
				opened, steps := 0, 0
				stride := 1
				if percent > 0 && os.Getenv("CORTEX_TORTURE") == "" {
					stride = 3
				}
				for n := 0; ; n += stride {
					disk := files.durable(t, damaged, at)
					var cut *Disk
					var mu sync.Mutex // Pebble deletes in a goroutine of its own
					count, rng := 0, rand.New(rand.NewPCG(uint64(n), 5))
					disk.Watch(func(Op) error {
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
				disk, count := files.durable(t, damaged, at), 0
				var mu sync.Mutex
				disk.Watch(func(Op) error {
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
		disk := files.durable(t, name, len(raw)/2)
		before := filesOf(t, disk.fs, "store")
		disk.Watch(func(op Op) error { t.Errorf("%s: %v", name, op); return nil })
		_, err := Check(context.Background(), "store", Options{Disk: disk})
		require.NoError(t, err)
		assert.Equal(t, before, filesOf(t, disk.fs, "store"))
	}
}

// What neither place has whole is not given up without a word, and it is said how
// much it is.
func TestRepairRefusesToLose(t *testing.T) {
	files, _ := closedImage(t)
	disk := files.durable(t, files.newest(t, ".sst"), 50)
	mem := disk.fs
	name := files.newest(t, ".seg")
	raw := contentsOf(t, mem, name, int64(len(files[name])))
	raw[framesAt+10_000] ^= 1
	require.NoError(t, put(mem, name, raw))
	before := filesOf(t, mem, "store")

	_, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
	var loss *LossError
	require.ErrorAs(t, err, &loss)
	assert.Positive(t, loss.Loss.Commits)
	assert.Equal(t, before, filesOf(t, mem, "store"), "nothing was changed")

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
	s := mustOpen(t, dir, Options{})
	_, err = Check(context.Background(), dir, Options{})
	require.ErrorIs(t, err, ErrInUse)
	_, err = Repair(context.Background(), dir, Options{}, true)
	require.ErrorIs(t, err, ErrInUse)
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
	left := image{
		"store/log/base-7.new":                 []byte("half of a base"),
		"store/repair/000009.sst":              []byte("half of a table"),
		"store/repair/log/00000001.seg":        make([]byte, 100),
		"store/temporary.000011.dbtmp":         []byte("half of the options"),
		"store/" + keepPrefix + "x/000001.log": []byte("kept"),
	}
	maps.Copy(left, files)
	disk := left.durable(t, "", 0)
	r, err := Check(t.Context(), "store", Options{Disk: disk})
	require.NoError(t, err)
	assert.Empty(t, r.Faults)
	assert.Equal(t, want, everything(t, disk))
	for name := range left {
		_, err := disk.fs.Stat(name)
		if files[name] != nil || strings.Contains(name, keepPrefix) {
			continue // what Pebble has renewed of its own is not looked at
		}
		assert.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	_, err = disk.fs.Stat("store/" + keepPrefix + "x/000001.log")
	assert.NoError(t, err)

	disk = left.durable(t, "", 0)
	disk.Watch(func(op Op) error {
		if op.Kind == "remove" && op.Path == "store/repair" {
			return syscall.EACCES
		}
		return nil
	})
	assert.Equal(t, want, everything(t, disk), "it does no harm")
}
