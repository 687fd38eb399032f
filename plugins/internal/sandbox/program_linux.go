package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// seal copies a program into memory that can never be written again, and hashes
// it there: between the check and the start there is not a path, and nothing that
// anybody could replace.
func seal(name string, src io.Reader) (_ *Program, err error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 every memfd could be executed
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, fmt.Errorf("memory for a copy: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	n, err := io.Copy(f, src)
	if err != nil {
		return nil, err
	}
	if n > maxProgram {
		return nil, fmt.Errorf("larger than %d MiB", maxProgram>>20)
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	sum, err := hashed(io.NewSectionReader(f, 0, n)) // after the seal, not before
	if err != nil {
		return nil, err
	}
	return &Program{Name: name, Sum: sum, file: f}, nil
}

// Close forgets the copy. What was started from it goes on.
func (p *Program) Close() { _ = p.file.Close() }
