package fsck

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// A segment that lost both of its heads may hold commits: it is not taken for one
// that was never finished, and its frames, which follow on those before, are mended
// from.
func TestI4_SegmentsWithoutHeads(t *testing.T) {
	disk := storetest.NewDisk(nil)
	opt := store.Options{Reserve: 64, Segment: 300 << 10}
	opt.Disk = disk
	s := mustOpen(t, "store", opt)
	for i := range 40 {
		require.NoError(t, s.Commit([]journal.Write{set(fmt.Sprintf("k%02d", i), strings.Repeat("v", 20_000))}))
	}
	want := all(t, s, nil, nil)
	files := image.Files(t, disk.PowerCut(0, rand.New(rand.NewPCG(1, 1))).System().FS, "store")
	require.NoError(t, s.Close())
	for _, number := range []string{"00000001", "00000002", "00000003"} {
		t.Run(number, func(t *testing.T) {
			opt := opt
			disk := without(t, files, "store/log/"+number+wal.Suffix).Durable(t, "", 0)
			opt.Disk = disk
			var damage *guard.Damage
			_, err := store.Open("store", opt)
			require.ErrorAs(t, err, &damage)
			r, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
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
func without(t *testing.T, f image.Image, segment string) image.Image {
	t.Helper()
	out := image.Image{}
	for name, raw := range f {
		out[name] = slices.Clone(raw)
	}
	require.Greater(t, len(out[segment]), wal.FramesAt, "%s", segment)
	clear(out[segment][:wal.FramesAt])
	return out
}

// A store without a single commit is mended to one that opens.
func TestI4_RepairOfAnEmptyStore(t *testing.T) {
	disk := storetest.NewDisk(nil)
	s := mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Close())
	files := image.Files(t, disk.System().FS, "store")
	disk = files.Durable(t, files.Newest(t, "/MANIFEST-"), 10)
	r, err := Repair(context.Background(), "store", Options{Disk: disk}, false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	s = mustOpen(t, "store", store.Options{Disk: disk, Reserve: 64})
	require.NoError(t, s.Commit([]journal.Write{set("first", "x")}))
	require.NoError(t, s.Close())
	assert.Equal(t, map[string]string{"first": "x"}, everything(t, disk))
}
