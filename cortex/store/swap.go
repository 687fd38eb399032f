package store

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The folders of a repair, within the store's own. The name tells how far it came;
// each renaming is one step that is done or not done.
const (
	building   = "repair"         // is being written: of no worth
	built      = "repair-built"   // whole and durable: the old files are moved away
	placing    = "repair-placing" // the old files are away: the new ones are moved up
	keepPrefix = "damaged-"       // what was damaged, and all that was beside it
)

// unfinishedRepair is the folder of a repair that only has to be put into place; ""
// for none.
func unfinishedRepair(disk *guarded, dir string) (string, error) {
	for _, name := range []string{placing, built} {
		path := disk.PathJoin(dir, name)
		if gone, err := missing(disk, path); err != nil || !gone {
			return path, err
		}
	}
	return "", nil
}

// finishRepair puts a pair of places that a repair has written into place, if there
// is one, and may be cut off and done again. What was moved is durable where it went
// before it is durable that it is not where it was.
func finishRepair(disk *guarded, dir string) error {
	path, err := unfinishedRepair(disk, dir)
	if err != nil {
		return err
	}
	if path == "" {
		return clearRepair(disk, dir)
	}
	if path == disk.PathJoin(dir, built) {
		if err := disk.setAside(dir); err != nil {
			return err
		}
		if err := disk.renamed(dir, built, placing); err != nil {
			return err
		}
	}
	from := disk.PathJoin(dir, placing)
	if err := disk.moveAll(from, dir); err != nil {
		return err
	}
	// After a loss of power a folder may have both of its names.
	for _, name := range []string{built, building, placing} {
		if err := disk.do("remove", disk.PathJoin(dir, name), func() error {
			return disk.FS.RemoveAll(disk.PathJoin(dir, name))
		}); err != nil {
			return err
		}
	}
	return syncDir(disk, dir)
}

// clearRepair removes what a repair has left that was cut off before it had anything of
// worth. It does no harm where it cannot be removed, but takes as much space as the store.
func clearRepair(disk *guarded, dir string) error {
	path := disk.PathJoin(dir, building)
	if gone, err := missing(disk, path); err != nil || gone {
		return err
	}
	if err := disk.do("remove", path, func() error { return disk.FS.RemoveAll(path) }); err != nil {
		disk.death.log.Warn("what a repair has left could not be removed", "path", path, "error", err)
	}
	return nil
}

// setAside moves the files of both places into the folder that is named in the new
// pair.
func (g *guarded) setAside(dir string) error {
	names, err := g.List(g.PathJoin(dir, built))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, keepPrefix) {
			to := g.PathJoin(dir, name)
			if err := makeDir(g, to); err != nil {
				return err
			}
			return g.moveAll(dir, to)
		}
	}
	return errors.New("the folder of the repair does not say where to keep the damaged files")
}

// moveAll moves the files of both places from one folder to another.
func (g *guarded) moveAll(from, to string) error {
	names, err := g.List(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isStore(name) {
			continue
		}
		if err := g.do("rename", g.PathJoin(to, name), func() error {
			return g.FS.Rename(g.PathJoin(from, name), g.PathJoin(to, name))
		}); err != nil {
			return err
		}
	}
	if err := syncDir(g, to); err != nil {
		return err
	}
	return syncDir(g, from)
}

// isStore tells the files of the two places from others in the folder.
func isStore(name string) bool {
	for _, suffix := range []string{".sst", ".blob", ".log", ".dbtmp"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	for _, prefix := range []string{"MANIFEST-", "OPTIONS-", "CURRENT", "marker.", "temporary."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "log"
}

// touch makes an empty file.
func (g *guarded) touch(dir, name string) error {
	return g.do("create", g.PathJoin(dir, name), func() error {
		f, err := g.FS.Create(g.PathJoin(dir, name), vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
