package shelljudge

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reset makes the work folder what it was, and empties the one for what shells
// put down on their own.
func (p *plan) reset() error {
	for _, dir := range []string{Work, "/tmp"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
		if err := unix.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	for _, name := range workFiles {
		if err := os.MkdirAll(filepath.Join(Work, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(Work, name), []byte(fileText), 0o644); err != nil {
			return err
		}
	}
	for _, name := range runFiles {
		if err := os.MkdirAll(filepath.Join(Work, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := os.Symlink("/evil/evil", filepath.Join(Work, name)); err != nil {
			return err
		}
	}
	return nil
}
