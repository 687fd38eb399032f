package guard

import (
	"errors"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// MakeDir makes dir and the folders above it that are missing, so that they
// outlive a loss of power.
func MakeDir(disk vfs.FS, dir string) error {
	var parents []string
	for at := dir; ; {
		_, err := disk.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		up := disk.PathDir(at)
		if up == at {
			break
		}
		parents = append(parents, up)
		at = up
	}
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, parent := range parents {
		d, err := disk.OpenDir(parent)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
	}
	return nil
}

// SyncDir makes durable what was made, renamed and removed in a folder.
func SyncDir(disk *Disk, dir string) error {
	return disk.Do("sync", dir, func() error {
		d, err := disk.FS.OpenDir(dir)
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}
