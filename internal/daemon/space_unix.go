//go:build linux || darwin

package daemon

import "golang.org/x/sys/unix"

// FreeSpace is how many bytes may still be written to the file system of a folder.
func FreeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
