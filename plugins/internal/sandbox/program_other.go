//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// seal copies a program into a folder that only this user can enter, and hashes
// the copy. Unlike on Linux another process of the same user could change the
// copy before it is started: where that matters, run plugins as a user of their
// own.
func seal(name string, src io.Reader) (_ *Program, err error) {
	dir, err := os.MkdirTemp("", "cortex-program-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o500)
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(f, src)
	if err == nil && n > maxProgram {
		err = fmt.Errorf("larger than %d MiB", maxProgram>>20)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	copied, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	sum, err := hashed(copied)
	if err = errors.Join(err, copied.Close()); err != nil {
		return nil, err
	}
	f, err = os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Program{Name: name, Sum: sum, file: f}, nil
}

// Close removes the copy. What was started from it goes on.
func (p *Program) Close() {
	_ = p.file.Close()
	_ = os.RemoveAll(filepath.Dir(p.file.Name()))
}
