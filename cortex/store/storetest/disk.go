// Package storetest has a disk in memory for tests: one that fails where a test wants it to,
// that runs full, and whose power can be cut. Give it to store.Options and, for a damaged
// store, to fsck.Options.
package storetest

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Disk is a disk in memory, for tests of what happens when the power goes or
// the disk fails. Stores on one disk share it like folders of one file system.
type Disk struct {
	fs     vfs.FS
	mem    *vfs.MemFS
	before func(kind, path string) error
	reads  atomic.Pointer[func(Op) error] // a dead store may still read
	short  atomic.Bool                    // the next write is
}

// ErrShort is what a test returns before a write of which only the first half is
// to be written, without an error.
var ErrShort = errors.New("a short write")

// Op is what a store is about to do to a [Disk].
type Op struct {
	// a read: "open", "list", "read"; "lock"; a change: "create", "write", "sync", "sync-to", "rename", "remove",
	// "reuse", "link", "mkdir", "allocate"
	Kind string
	Path string
}

// NewDisk returns an empty disk. Before, if not nil, is called before each
// change to the disk; an error it returns is the change's result. It may be
// called by several goroutines at once.
func NewDisk(before func(Op) error) *Disk {
	d := newDisk(vfs.NewCrashableMem())
	d.Watch(before)
	return d
}

// NewSteadyDisk returns an empty disk whose power cannot be cut: [Disk.PowerCut] panics. It
// is faster, because it need not remember what was synced.
func NewSteadyDisk() *Disk { return newDisk(vfs.NewMem()) }

func newDisk(mem *vfs.MemFS) *Disk {
	d := &Disk{mem: mem}
	d.fs = &trialFS{FS: mem, disk: d}
	return d
}

// System is the file system, for the store alone. That of nil is the operating system's.
func (d *Disk) System() guard.System {
	if d == nil {
		return guard.System{}
	}
	return guard.System{FS: d.fs, Before: d.before}
}

// PowerCut returns a disk with what could be left of d if the power went now:
// all that was synced, and of the rest, block by block, this percentage. The
// disk d goes on as if nothing had happened.
func (d *Disk) PowerCut(percent int, rng *rand.Rand) *Disk {
	return newDisk(d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}))
}

// Watch sets what is called before each change, as for [NewDisk]. It is for a disk
// that no store is open on.
func (d *Disk) Watch(before func(Op) error) {
	if d.before = nil; before == nil {
		return
	}
	d.before = func(kind, path string) error {
		err := before(Op{Kind: kind, Path: path})
		if err == ErrShort { //nolint:errorlint // a word between a test and its disk
			d.short.Store(true)
			return nil
		}
		return err
	}
}

// WatchReads sets what is called before each read, as [Disk.Watch] does for changes.
func (d *Disk) WatchReads(before func(Op) error) { d.reads.Store(&before) }

// Used returns how many bytes the files below a folder have, without the ballast.
func (d *Disk) Used(dir string) (n int64) {
	names, err := d.fs.List(dir)
	if err != nil {
		return 0 // it is a file, or has gone meanwhile
	}
	for _, name := range names {
		info, err := d.fs.Stat(d.fs.PathJoin(dir, name))
		switch {
		case err != nil || name == "BALLAST":
		case info.IsDir():
			n += d.Used(d.fs.PathJoin(dir, name))
		default:
			n += info.Size()
		}
	}
	return n
}

// SetFree makes the disk say, from now on, that it has this many bytes free. It
// does not say anything at first, as some file systems do not.
func (d *Disk) SetFree(bytes uint64) {
	d.mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: bytes, TotalBytes: 1 << 40, UsedBytes: 1<<40 - bytes})
}

// trialFS is a disk's file system: reads can fail, and writes be short.
type trialFS struct {
	vfs.FS
	disk *Disk
}

func (t *trialFS) read(kind, path string) error {
	before := t.disk.reads.Load()
	if before == nil || *before == nil {
		return nil
	}
	return (*before)(Op{Kind: kind, Path: path})
}

func (t *trialFS) file(path string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &trialFile{File: f, path: path, fs: t}, nil
}

func (t *trialFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := t.FS.Create(name, c)
	return t.file(name, f, err)
}

func (t *trialFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := t.FS.OpenReadWrite(name, c, opts...)
	return t.file(name, f, err)
}

func (t *trialFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := t.read("open", name); err != nil {
		return nil, err
	}
	f, err := t.FS.Open(name, opts...)
	return t.file(name, f, err)
}

func (t *trialFS) Lock(name string) (io.Closer, error) {
	if err := t.read("lock", name); err != nil {
		return nil, err
	}
	return t.FS.Lock(name)
}

func (t *trialFS) List(dir string) ([]string, error) {
	if err := t.read("list", dir); err != nil {
		return nil, err
	}
	return t.FS.List(dir)
}

// Unwrap implements vfs.FS.
func (t *trialFS) Unwrap() vfs.FS { return t.FS }

type trialFile struct {
	vfs.File
	path string
	fs   *trialFS
}

func (f *trialFile) Write(p []byte) (int, error) {
	if f.fs.disk.short.CompareAndSwap(true, false) {
		p = p[:len(p)/2]
	}
	return f.File.Write(p)
}

func (f *trialFile) WriteAt(p []byte, off int64) (int, error) {
	if f.fs.disk.short.CompareAndSwap(true, false) {
		p = p[:len(p)/2]
	}
	return f.File.WriteAt(p, off)
}

func (f *trialFile) Read(p []byte) (int, error) {
	if err := f.fs.read("read", f.path); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *trialFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.read("read", f.path); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}
