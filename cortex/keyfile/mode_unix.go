//go:build unix

package keyfile

import (
	"errors"
	"io/fs"
	"os"
)

// unsafeMode reports whether others than the owner may use a file.
func unsafeMode(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }

// syncFolder makes a new name in a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
