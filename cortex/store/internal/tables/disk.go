package tables

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// pebbleDisk is what Pebble itself is given: where a folder cannot be listed, it does
// not hear of it, but the store is dead. Pebble lists its folder late in opening, when
// tables are being merged already; with an error there it would close its caches
// under that work, which then ends the process.
type pebbleDisk struct{ *guard.Disk }

func (p pebbleDisk) List(dir string) (names []string, err error) {
	err = p.read("list", dir, func() error { names, err = p.Disk.List(dir); return err })
	if err != nil {
		p.Death.Die(err)
		guard.Park()
	}
	return names, nil
}

// Open waits until the process may open a file again: without its tables Pebble would give
// up what it does in the background, for good.
func (p pebbleDisk) Open(name string, opts ...vfs.OpenOption) (f vfs.File, err error) {
	err = p.read("open", name, func() error { f, err = p.Disk.Open(name, opts...); return err })
	return f, err
}

func (p pebbleDisk) OpenDir(name string) (f vfs.File, err error) {
	err = p.read("open", name, func() error { f, err = p.Disk.OpenDir(name); return err })
	return f, err
}

// read reads, again and again while there is no descriptor for it.
func (p pebbleDisk) read(kind, path string, op func() error) error {
	err := op()
	if guard.NoDescriptor(err) && p.Death.Err() == nil && p.Space != nil {
		return p.Persist(kind, path, op, err)
	}
	return err
}
