package guard

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// opened carries out a change that opens a file.
func (g *Disk) opened(kind, path string, op func() (vfs.File, error)) (vfs.File, error) {
	var f vfs.File
	g.change(kind, path, func() (err error) {
		f, err = op()
		return err
	})
	return &guardedFile{File: f, path: path, g: g}, nil
}

// Create implements vfs.FS.
func (g *Disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.order(name)
	return g.opened("create", name, func() (vfs.File, error) { return g.FS.Create(name, c) })
}

// order makes everything durable that was done in a folder before one of its
// markers, the empty files that name the valid manifest, comes or goes. Pebble
// leaves that order to the file system; one that does not keep it would be left
// after a power cut with a marker for a manifest that is not there, or with no
// marker, which looks like no data.
func (g *Disk) order(name string) {
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

// OpenReadWrite implements vfs.FS.
func (g *Disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return g.opened("create", name, func() (vfs.File, error) { return g.FS.OpenReadWrite(name, c, opts...) })
}

// ReuseForWrite implements vfs.FS.
func (g *Disk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return g.opened("reuse", name, func() (vfs.File, error) { return g.FS.ReuseForWrite(old, name, c) })
}

// OpenDir only reads, but what it opens is synced.
func (g *Disk) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: f, path: name, g: g}, nil
}

// Link implements vfs.FS.
func (g *Disk) Link(old, name string) error {
	g.change("link", name, func() error { return g.FS.Link(old, name) })
	return nil
}

// Rename implements vfs.FS.
func (g *Disk) Rename(old, name string) error {
	g.change("rename", name, func() error { return g.FS.Rename(old, name) })
	return nil
}

// MkdirAll implements vfs.FS.
func (g *Disk) MkdirAll(dir string, perm os.FileMode) error {
	g.change("mkdir", dir, func() error { return g.FS.MkdirAll(dir, perm) })
	return nil
}

// Remove reports its errors: a file that stays does no harm.
func (g *Disk) Remove(name string) (err error) {
	g.order(name)
	g.change("remove", name, func() error { err = g.FS.Remove(name); return nil })
	return err
}

// RemoveAll implements vfs.FS.
func (g *Disk) RemoveAll(name string) (err error) {
	g.change("remove", name, func() error { err = g.FS.RemoveAll(name); return nil })
	return err
}

// Lock does nothing: the store holds the lock itself, longer than Pebble would.
func (g *Disk) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// Unwrap implements vfs.FS.
func (g *Disk) Unwrap() vfs.FS { return g.FS }

// guardedFile is a file that is written, or a folder.
type guardedFile struct {
	vfs.File
	path string
	g    *Disk
}

func (f *guardedFile) Write(p []byte) (n int, err error) {
	f.g.change("write", f.path, func() error { // again from where it was refused
		m, err := f.File.Write(p[n:])
		n += m
		return Short(n, p, err)
	})
	return n, nil
}

func (f *guardedFile) WriteAt(p []byte, off int64) (n int, err error) {
	f.g.change("write", f.path, func() error { n, err = f.File.WriteAt(p, off); return Short(n, p, err) })
	return n, nil
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
		f.g.Death.Die(err)
		Park()
	}
	return nil
}

// Short says that a write wrote less than it was given, if nothing else says so.
func Short(n int, p []byte, err error) error {
	if err == nil && n < len(p) {
		return io.ErrShortWrite
	}
	return err
}
