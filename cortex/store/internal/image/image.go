// Package image damages stores for the tests of store and fsck: all files of a store as they
// are at one moment ([Image]), and journals that were written in several ways ([World]).
package image

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// Image is what is on a disk, by path.
type Image map[string][]byte

// Files are all files below a folder.
func Files(t testing.TB, fs vfs.FS, dir string) Image {
	t.Helper()
	out := Image{}
	names, err := fs.List(dir)
	require.NoError(t, err)
	for _, name := range names {
		at := fs.PathJoin(dir, name)
		info, err := fs.Stat(at)
		require.NoError(t, err)
		if info.IsDir() {
			maps.Copy(out, Files(t, fs, at))
			continue
		}
		out[at] = ContentsOf(t, fs, at, info.Size())
	}
	return out
}

// ContentsOf are the first bytes of a file.
func ContentsOf(t testing.TB, fs vfs.FS, at string, size int64) []byte {
	t.Helper()
	raw := make([]byte, size)
	f, err := fs.Open(at)
	require.NoError(t, err)
	if size > 0 {
		_, err = f.ReadAt(raw, 0)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	return raw
}

// Disk makes a disk of image, of which one is another.
func (f Image) Disk(at string, other []byte) (*storetest.Disk, error) {
	disk := storetest.NewSteadyDisk()
	mem := disk.System().FS
	for name, raw := range f {
		if name == at {
			raw = other
		}
		if err := errors.Join(mem.MkdirAll(path.Dir(name), 0o700), Put(mem, name, raw)); err != nil {
			return nil, err
		}
	}
	return disk, nil
}

// Put makes a file.
func Put(fs vfs.FS, name string, raw []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Clone(raw)) // it is the file system's then, and under -race it spoils it
	return errors.Join(err, f.Close())
}

// Durable makes a disk on which all of files is durable, one of them damaged.
func (f Image) Durable(t *testing.T, damaged string, at int) *storetest.Disk {
	t.Helper()
	disk := storetest.NewDisk(nil)
	mem := disk.System().FS
	for name, raw := range f {
		if name == damaged {
			raw = bytes.Clone(raw)
			raw[at] ^= 8
		}
		require.NoError(t, mem.MkdirAll(path.Dir(name), 0o700))
		require.NoError(t, Put(mem, name, raw))
	}
	return disk.PowerCut(100, rand.New(rand.NewPCG(1, 1)))
}

// Newest is the last file of a kind.
func (f Image) Newest(t *testing.T, part string) string {
	t.Helper()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(n string) bool { return !strings.Contains(n, part) })
	require.NotEmpty(t, names)
	return names[len(names)-1]
}

// Flip changes one bit of a file, and leaves other images alone.
func Flip(f Image, name string, at int) {
	raw := bytes.Clone(f[name])
	raw[at] ^= 1 << (at % 8)
	f[name] = raw
}

// Pick is one of the files of a kind; they are sorted.
func (f Image) Pick(rng *rand.Rand, part string) (name string, ok bool) {
	names := f.Named(part)
	if len(names) == 0 {
		return "", false
	}
	return names[rng.IntN(len(names))], true
}

// Named are the files of a kind, sorted, without empty ones that are not markers.
func (f Image) Named(part string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(n string) bool {
		return !strings.Contains(n, part) || len(f[n]) == 0 && !strings.Contains(part, "marker")
	})
}

// RandomText is text of n bytes that does not compress.
func RandomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%x ", rng.Uint64())
	}
	return b.String()[:n]
}
