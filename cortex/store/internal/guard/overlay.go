package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// overlay is a file system that is never changed: what is written, renamed and removed
// stands in memory alone. It knows no renaming of folders.
type overlay struct {
	vfs.FS
	mem *vfs.MemFS

	mu   sync.Mutex
	gone map[string]bool // removed, by path
}

// NewOverlay returns a file system that reads from base and never changes it.
func NewOverlay(base vfs.FS) *overlay {
	return &overlay{FS: base, mem: vfs.NewMem(), gone: map[string]bool{}}
}

func (o *overlay) isGone(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.gone[name]
}

func (o *overlay) setGone(name string, gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone[name] = gone
}

func (o *overlay) inMemory(name string) bool {
	_, err := o.mem.Stat(name)
	return err == nil
}

// room makes the folder of a file in memory.
func (o *overlay) room(name string) error { return o.mem.MkdirAll(o.PathDir(name), 0o700) }

// lift takes a file into memory, where it may be changed.
func (o *overlay) lift(name string) error {
	if o.inMemory(name) {
		return nil
	}
	from, err := o.Open(name)
	if err != nil {
		return err
	}
	info, err := from.Stat()
	if err != nil {
		return errors.Join(err, from.Close())
	}
	raw := make([]byte, info.Size())
	if _, err = io.ReadFull(from, raw); err == nil {
		err = o.room(name)
	}
	if err = errors.Join(err, from.Close()); err != nil {
		return err
	}
	to, err := o.mem.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = to.Write(raw)
	return errors.Join(err, to.Close())
}

func (o *overlay) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.room(name); err != nil {
		return nil, err
	}
	o.setGone(name, false)
	return o.mem.Create(name, c)
}

func (o *overlay) Link(old, name string) error {
	if err := errors.Join(o.lift(old), o.room(name)); err != nil {
		return err
	}
	o.setGone(name, false)
	return o.mem.Link(old, name)
}

func (o *overlay) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	switch {
	case o.inMemory(name):
		return o.mem.Open(name, opts...)
	case o.isGone(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return o.FS.Open(name, opts...)
}

func (o *overlay) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := o.lift(name); err != nil {
		return nil, err
	}
	return o.mem.OpenReadWrite(name, c, opts...)
}

// OpenDir opens a folder to sync it.
func (o *overlay) OpenDir(name string) (vfs.File, error) {
	if err := o.mem.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	return o.mem.OpenDir(name)
}

func (o *overlay) Remove(name string) error {
	_, err := o.Stat(name)
	if err == nil && o.inMemory(name) {
		err = o.mem.Remove(name)
	}
	o.setGone(name, true)
	return err
}

func (o *overlay) RemoveAll(name string) error {
	names, err := o.List(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, n := range names {
		if err == nil {
			err = o.Remove(o.PathJoin(name, n))
		}
	}
	return err
}

func (o *overlay) Rename(old, name string) error {
	info, err := o.Stat(old)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%w: a repair was cut off there, and is to be ended first", ErrNotWritable)
	}
	if err == nil {
		err = errors.Join(o.lift(old), o.room(name))
	}
	if err != nil {
		return err
	}
	o.setGone(old, true)
	o.setGone(name, false)
	return o.mem.Rename(old, name)
}

func (o *overlay) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.Rename(old, name); err != nil {
		return nil, err
	}
	return o.mem.OpenReadWrite(name, c)
}

func (o *overlay) MkdirAll(dir string, perm os.FileMode) error { return o.mem.MkdirAll(dir, perm) }

// Lock holds nothing: what is not changed need not be held.
func (o *overlay) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (o *overlay) List(dir string) ([]string, error) {
	names, err := o.FS.List(dir)
	names = slices.DeleteFunc(names, func(n string) bool { return o.isGone(o.PathJoin(dir, n)) })
	if !o.inMemory(dir) {
		return names, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	written, err := o.mem.List(dir)
	names = append(names, written...)
	slices.Sort(names)
	return slices.Compact(names), err
}

func (o *overlay) Stat(name string) (vfs.FileInfo, error) {
	switch {
	case o.inMemory(name):
		return o.mem.Stat(name)
	case o.isGone(name):
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return o.FS.Stat(name)
}

// GetDiskUsage does not matter where nothing is written.
func (o *overlay) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

// Unwrap implements vfs.FS.
func (o *overlay) Unwrap() vfs.FS { return o.FS }
