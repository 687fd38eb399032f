package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// guarded is a file system. A change to the disk that fails makes the store dead; it
// and every later change never return. Reads pass, errors and all.
type guarded struct {
	vfs.FS
	death  *death
	before func(Op) error // of a test's Disk, or nil
	busy   sync.RWMutex   // held for reading during a change
	space  *space         // nil in memory
}

// pebbleDisk is what Pebble itself is given: where a folder cannot be listed, it does
// not hear of it, but the store is dead. Pebble lists its folder late in opening, when
// tables are being merged already; with an error there it would close its caches
// under that work, which then ends the process.
type pebbleDisk struct{ *guarded }

func (p pebbleDisk) List(dir string) (names []string, err error) {
	err = p.read("list", dir, func() error { names, err = p.guarded.List(dir); return err })
	if err != nil {
		p.death.die(err)
		park()
	}
	return names, nil
}

// Open waits until the process may open a file again: without its tables Pebble would give
// up what it does in the background, for good.
func (p pebbleDisk) Open(name string, opts ...vfs.OpenOption) (f vfs.File, err error) {
	err = p.read("open", name, func() error { f, err = p.guarded.Open(name, opts...); return err })
	return f, err
}

func (p pebbleDisk) OpenDir(name string) (f vfs.File, err error) {
	err = p.read("open", name, func() error { f, err = p.guarded.OpenDir(name); return err })
	return f, err
}

// read reads, again and again while there is no descriptor for it.
func (p pebbleDisk) read(kind, path string, op func() error) error {
	err := op()
	if noDescriptor(err) && p.death.Err() == nil && p.space != nil {
		return p.persist(kind, path, op, err)
	}
	return err
}

// change carries out one change to the disk. One that is refused for want of space
// waits for it, if it can be done again.
func (g *guarded) change(kind, path string, op func() error) {
	err := g.do(kind, path, op)
	if (noSpace(err) && again(kind) || noDescriptor(err)) && g.death.Err() == nil && g.space != nil {
		err = g.persist(kind, path, op, err)
	}
	if err != nil {
		g.death.die(err)
		park()
	}
}

// again reports whether a change can be done again once it was refused for want of
// space. A sync cannot: what it was to write may be lost.
func again(kind string) bool {
	switch kind {
	case "create", "write", "rename", "link", "mkdir":
		return true
	}
	return false
}

// persist does what was refused when there is space, or fails for another reason.
func (g *guarded) persist(kind, path string, op func() error, cause error) error {
	if g.space.refused(cause) {
		if cause = g.do(kind, path, op); !scarce(cause) {
			return cause
		}
	}
	err := g.space.wait(func() error { return g.do(kind, path, op) })
	if errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// do carries out one change of the log's, which hears of what fails.
func (g *guarded) do(kind, path string, op func() error) error {
	g.busy.RLock()
	defer g.busy.RUnlock()
	if err := g.death.Err(); err != nil {
		return err
	}
	return g.try(kind, path, op)
}

func (g *guarded) try(kind, path string, op func() error) error {
	if g.before != nil {
		if err := g.before(Op{Kind: kind, Path: path}); err != nil {
			return err
		}
	}
	return op()
}

// settle returns when no change is under way. On a dead store none comes after.
func (g *guarded) settle() {
	g.busy.Lock()
	defer g.busy.Unlock()
}

// opened carries out a change that opens a file.
func (g *guarded) opened(kind, path string, op func() (vfs.File, error)) (vfs.File, error) {
	var f vfs.File
	g.change(kind, path, func() (err error) {
		f, err = op()
		return err
	})
	return &guardedFile{File: f, path: path, g: g}, nil
}

func (g *guarded) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.order(name)
	return g.opened("create", name, func() (vfs.File, error) { return g.FS.Create(name, c) })
}

// order makes everything durable that was done in a folder before one of its
// markers, the empty files that name the valid manifest, comes or goes. Pebble
// leaves that order to the file system; one that does not keep it would be left
// after a power cut with a marker for a manifest that is not there, or with no
// marker, which looks like no data.
func (g *guarded) order(name string) {
	if !strings.HasPrefix(g.FS.PathBase(name), "marker.") {
		return
	}
	dir := g.FS.PathDir(name)
	g.change("sync", dir, func() error {
		d, err := g.FS.OpenDir(dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}

func (g *guarded) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return g.opened("create", name, func() (vfs.File, error) { return g.FS.OpenReadWrite(name, c, opts...) })
}

func (g *guarded) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.opened("reuse", name, func() (vfs.File, error) { return g.FS.ReuseForWrite(old, name, c) })
}

// OpenDir only reads, but what it opens is synced.
func (g *guarded) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: f, path: name, g: g}, nil
}

func (g *guarded) Link(old, name string) error {
	g.change("link", name, func() error { return g.FS.Link(old, name) })
	return nil
}

func (g *guarded) Rename(old, name string) error {
	g.change("rename", name, func() error { return g.FS.Rename(old, name) })
	return nil
}

func (g *guarded) MkdirAll(dir string, perm os.FileMode) error {
	g.change("mkdir", dir, func() error { return g.FS.MkdirAll(dir, perm) })
	return nil
}

// Remove reports its errors: a file that stays does no harm.
func (g *guarded) Remove(name string) (err error) {
	g.order(name)
	g.change("remove", name, func() error { err = g.FS.Remove(name); return nil })
	return err
}

func (g *guarded) RemoveAll(name string) (err error) {
	g.change("remove", name, func() error { err = g.FS.RemoveAll(name); return nil })
	return err
}

// Lock does nothing: the store holds the lock itself, longer than Pebble would.
func (g *guarded) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// Unwrap implements vfs.FS.
func (g *guarded) Unwrap() vfs.FS { return g.FS }

// guardedFile is a file that is written, or a folder.
type guardedFile struct {
	vfs.File
	path string
	g    *guarded
}

func (f *guardedFile) Write(p []byte) (n int, err error) {
	f.g.change("write", f.path, func() error { // again from where it was refused
		m, err := f.File.Write(p[n:])
		n += m
		return short(n, p, err)
	})
	return n, nil
}

func (f *guardedFile) WriteAt(p []byte, off int64) (n int, err error) {
	f.g.change("write", f.path, func() error { n, err = f.File.WriteAt(p, off); return short(n, p, err) })
	return n, nil
}

func short(n int, p []byte, err error) error {
	if err == nil && n < len(p) {
		return io.ErrShortWrite
	}
	return err
}

func (f *guardedFile) Sync() error {
	f.g.change("sync", f.path, f.File.Sync)
	return nil
}

func (f *guardedFile) SyncData() error {
	f.g.change("sync", f.path, f.File.SyncData)
	return nil
}

func (f *guardedFile) SyncTo(length int64) (full bool, err error) {
	f.g.change("sync-to", f.path, func() error { full, err = f.File.SyncTo(length); return err })
	return full, nil
}

// Preallocate reports its errors: it is a wish.
func (f *guardedFile) Preallocate(offset, length int64) (err error) {
	f.g.change("allocate", f.path, func() error { err = f.File.Preallocate(offset, length); return nil })
	return err
}

// Close frees the file even where nothing may be changed any more.
func (f *guardedFile) Close() error {
	err := f.File.Close()
	if err != nil {
		f.g.death.die(err)
		park()
	}
	return nil
}
