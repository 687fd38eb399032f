package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Exists reports whether there is a store in dir, whole or not: one of its files.
func Exists(disk vfs.FS, dir string) (bool, error) {
	names, err := disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(names, func(n string) bool { return n == "LOCK" || isStore(n) }), err
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

// Lock takes the lock of a folder. The error is [guard.ErrInUse]
// where it is held, and [guard.ErrNotWritable] where it cannot be made.
func Lock(disk vfs.FS, dir string) (io.Closer, error) {
	held, err := disk.Lock(disk.PathJoin(dir, "LOCK"))
	if err != nil {
		return nil, lockError(dir, err)
	}
	return held, nil
}

// lockError says why the lock of a folder cannot be had: it is held, or it cannot be made.
func lockError(dir string, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %q is on a read-only file system: %w", guard.ErrNotWritable, dir, err)
	case errors.As(err, &path) && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %q, or a file in it, belongs to another user: %w", guard.ErrNotWritable, dir, err)
	case errors.As(err, &path):
		return err
	}
	return fmt.Errorf("%w: %q: %w", guard.ErrInUse, dir, err)
}

// Missing reports whether there is nothing of this name.
func Missing(disk vfs.FS, path string) (bool, error) {
	_, err := disk.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}
