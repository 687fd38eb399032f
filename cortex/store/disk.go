package store

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Disk is a disk in memory, for tests of what happens when the power goes or
// the disk fails. Stores on one disk share it like folders of one file system.
type Disk struct {
	fs     vfs.FS
	mem    *vfs.MemFS
	before func(Op) error
}

// Op is what a store is about to do to a [Disk].
type Op struct {
	Kind string // "create", "write", "sync", "sync-to", "rename", "remove", "reuse", "link", "mkdir", "allocate"
	Path string
}

// NewDisk returns an empty disk. Before, if not nil, is called before each
// change to the disk; an error it returns is the change's result. It may be
// called by several goroutines at once.
func NewDisk(before func(Op) error) *Disk {
	return newDisk(vfs.NewCrashableMem(), before)
}

func newDisk(mem *vfs.MemFS, before func(Op) error) *Disk {
	return &Disk{fs: mem, mem: mem, before: before}
}

// PowerCut returns a disk with what could be left of d if the power went now:
// all that was synced, and of the rest, block by block, this percentage. The
// disk d goes on as if nothing had happened.
func (d *Disk) PowerCut(percent int, rng *rand.Rand) *Disk {
	return newDisk(d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}), nil)
}

// Watch sets what is called before each change, as for [NewDisk]. It is for a disk
// that no store is open on.
func (d *Disk) Watch(before func(Op) error) { d.before = before }

// SetFree makes the disk say, from now on, that it has this many bytes free. It
// does not say anything at first, as some file systems do not.
func (d *Disk) SetFree(bytes uint64) {
	d.mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: bytes, TotalBytes: 1 << 40, UsedBytes: 1<<40 - bytes})
}
