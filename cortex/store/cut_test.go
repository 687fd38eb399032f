package store

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// inSmallSegments opens stores with small segments.
func inSmallSegments(t *testing.T) image.Opener {
	return func(d *storetest.Disk) image.Live {
		return MustOpen(t, "store", Options{Disk: d, Reserve: 64, Segment: 64 << 10}).(image.Live)
	}
}

// A log that was cut, in any of its files and to any size, does not open, whatever the
// tables have.
func TestI4_ACutLogIsNoticedAtOpen(t *testing.T) {
	for _, w := range image.Worlds(t, 80, inSmallSegments(t)) {
		for _, name := range append(w.Image.Named(wal.Suffix), w.Image.Named("log/base-")...) {
			written := len(bytes.TrimRight(w.Image[name], "\x00"))
			for _, size := range []int{written - 1, written - 700, written / 2, 3 * wal.SlotBlock / 2} {
				if size < wal.SlotSize || strings.Contains(name, "base-") && size == 0 {
					continue
				}
				damaged := maps.Clone(w.Image)
				damaged[name] = damaged[name][:size]
				disk, err := damaged.Disk("", nil)
				require.NoError(t, err)
				before := image.Files(t, disk.System().FS, "store/log")
				_, err = Open("store", Options{Disk: disk, Reserve: 64})
				var d *Damage
				if assert.ErrorAs(t, err, &d, "%s: %s cut from %d to %d bytes", w.Name, name, len(w.Image[name]), size) {
					assert.Equal(t, name, d.File)
				}
				assert.Equal(t, before, image.Files(t, disk.System().FS, "store/log"), "nothing is appended behind the hole")
			}
		}
	}
}

// While a store is open, its log is cut, or a bit of it flips: the check that reads it
// beside commits and compactions tells. Where nothing happened it sees every write.
func TestI4_CheckLog(t *testing.T) {
	for _, name := range []string{"nothing", "cut, the newest", "cut, an older one", "gone", "a bit", "a base"} {
		disk := storetest.NewDisk(nil)
		s := MustOpen(t, "store", Options{Disk: disk, Reserve: 64, Segment: 40 << 10})
		for i := range 60 {
			require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%03d", i), strings.Repeat("v", 5000))}))
			if i == 20 {
				require.NoError(t, s.(*store).Compact(t.Context()))
			}
		}
		files := image.Files(t, disk.System().FS, "store/log")
		segs, base := files.Named(wal.Suffix), files.Named("base-")[0]
		newest, older := segs[len(segs)-1], segs[1]
		harm := image.Image{}
		switch name {
		case "cut, the newest":
			harm[newest] = files[newest][:wal.FramesAt+1000]
		case "cut, an older one":
			harm[older] = files[older][:wal.FramesAt+12_000]
		case "a bit":
			image.Flip(files, older, wal.FramesAt+12_000)
			harm[older] = files[older]
		case "a base":
			image.Flip(files, base, 30_000)
			harm[base] = files[base]
		case "gone":
			require.NoError(t, disk.System().FS.Remove(older))
		}
		for file, raw := range harm {
			require.NoError(t, image.Put(disk.System().FS, file, raw))
		}
		seen := map[string]bool{}
		err := s.(*store).CheckLog(t.Context(), func(w journal.Write) error {
			seen[string(w.Key)] = true
			return nil
		})
		if name == "nothing" {
			require.NoError(t, err)
			assert.Len(t, seen, 60)
			require.NoError(t, s.(*store).CheckLog(t.Context(), func(journal.Write) error {
				return s.Commit([]journal.Write{Set("more", "x")})
			}), "beside commits")
			i := 0
			require.NoError(t, s.(*store).CheckLog(t.Context(), func(journal.Write) error {
				if i++; i%20 == 1 {
					return s.(*store).Compact(t.Context())
				}
				return nil
			}), "beside compactions")
		} else {
			var d *Damage
			require.ErrorAs(t, err, &d, name)
			t.Log(name, err)
		}
		require.NoError(t, s.Close())
	}
}
