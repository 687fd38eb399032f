package folder

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// The folders of a repair, within the store's own. The name tells how far it came;
// each renaming is one step that is done or not done.
const (
	Building   = "repair"         // is being written: of no worth
	Built      = "repair-built"   // whole and durable: the old files are moved away
	placing    = "repair-placing" // the old files are away: the new ones are moved up
	KeepPrefix = "damaged-"       // what was damaged, and all that was beside it
)

// UnfinishedRepair is the folder of a repair that only has to be put into place; ""
// for none.
func UnfinishedRepair(disk *guard.Disk, dir string) (string, error) {
	for _, name := range []string{placing, Built} {
		path := disk.PathJoin(dir, name)
		if gone, err := Missing(disk, path); err != nil || !gone {
			return path, err
		}
	}
	return "", nil
}

// FinishRepair puts a pair of places that a repair has written into place, if there
// is one, and may be cut off and done again. What was moved is durable where it went
// before it is durable that it is not where it was.
func FinishRepair(disk *guard.Disk, dir string) error {
	path, err := UnfinishedRepair(disk, dir)
	if err != nil {
		return err
	}
	if path == "" {
		return clearRepair(disk, dir)
	}
	if path == disk.PathJoin(dir, Built) {
		if err := setAside(disk, dir); err != nil {
			return err
		}
		if err := Rename(disk, dir, Built, placing); err != nil {
			return err
		}
	}
	from := disk.PathJoin(dir, placing)
	if err := moveAll(disk, from, dir); err != nil {
		return err
	}
	// After a loss of power a folder may have both of its names.
	for _, name := range []string{Built, Building, placing} {
		if err := disk.Do("remove", disk.PathJoin(dir, name), func() error {
			return disk.FS.RemoveAll(disk.PathJoin(dir, name))
		}); err != nil {
			return err
		}
	}
	return guard.SyncDir(disk, dir)
}

// clearRepair removes what a repair has left that was cut off before it had anything of
// worth. It does no harm where it cannot be removed, but takes as much space as the store.
func clearRepair(disk *guard.Disk, dir string) error {
	path := disk.PathJoin(dir, Building)
	if gone, err := Missing(disk, path); err != nil || gone {
		return err
	}
	if err := disk.Do("remove", path, func() error { return disk.FS.RemoveAll(path) }); err != nil {
		disk.Death.Log.Warn("what a repair has left could not be removed", "path", path, "error", err)
	}
	return nil
}

// setAside moves the files of both places into the folder that is named in the new
// pair.
func setAside(disk *guard.Disk, dir string) error {
	names, err := disk.List(disk.PathJoin(dir, Built))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, KeepPrefix) {
			to := disk.PathJoin(dir, name)
			if err := guard.MakeDir(disk, to); err != nil {
				return err
			}
			return moveAll(disk, dir, to)
		}
	}
	return errors.New("the folder of the repair does not say where to keep the damaged files")
}

// moveAll moves the files of both places from one folder to another.
func moveAll(disk *guard.Disk, from, to string) error {
	names, err := disk.List(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isStore(name) {
			continue
		}
		if err := disk.Do("rename", disk.PathJoin(to, name), func() error {
			return disk.FS.Rename(disk.PathJoin(from, name), disk.PathJoin(to, name))
		}); err != nil {
			return err
		}
	}
	if err := guard.SyncDir(disk, to); err != nil {
		return err
	}
	return guard.SyncDir(disk, from)
}

// Rename renames a folder within dir, for good.
func Rename(disk *guard.Disk, dir, from, to string) error {
	err := disk.Do("rename", disk.PathJoin(dir, to), func() error {
		return disk.FS.Rename(disk.PathJoin(dir, from), disk.PathJoin(dir, to))
	})
	if err != nil {
		return err
	}
	return guard.SyncDir(disk, dir)
}

// Touch makes an empty file.
func Touch(disk *guard.Disk, dir, name string) error {
	return disk.Do("create", disk.PathJoin(dir, name), func() error {
		f, err := disk.FS.Create(disk.PathJoin(dir, name), vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
