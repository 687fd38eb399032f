package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// FormatError says that what Pebble cannot make out is another format, unless
// the disk is to blame.
func FormatError(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return err
	}
	return fmt.Errorf("%w: %w", guard.ErrFormat, err)
}

// markerGone finds out that Pebble's tables are there, and a file is not that says which
// of them count, or of which format they are: both are empty, and hard to miss.
func markerGone(disk vfs.FS, dir string, was *pebble.DBDesc) *guard.Damage {
	if was.Exists && was.FormatMajorVersion != pebble.FormatDefault {
		return nil
	}
	names, err := disk.List(dir)
	made := func(n string) bool { return strings.HasSuffix(n, ".sst") || was.Exists && n == "log" }
	if err != nil || !slices.ContainsFunc(names, made) {
		return nil // it was being made when the process ended
	}
	if !was.Exists {
		return &guard.Damage{File: disk.PathJoin(dir, "marker.manifest.*"), Text: "it is gone"}
	}
	return &guard.Damage{File: disk.PathJoin(dir, "marker.format-version.*"), Text: "it is gone"}
}

// Peek says what database there is in a folder. One that has lost a file which says what
// counts in it is a [*guard.Damage]; one that cannot be made out is of another format.
func Peek(dir string, disk vfs.FS) (*pebble.DBDesc, error) {
	was, err := pebble.Peek(dir, disk)
	if err != nil {
		return nil, FormatError(err)
	}
	if gone := markerGone(disk, dir, was); gone != nil {
		return nil, gone
	}
	return was, nil
}
