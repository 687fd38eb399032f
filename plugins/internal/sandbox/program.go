package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxProgram is the size of the largest program or file that is taken in, in
// bytes.
const maxProgram = 256 << 20

// Program is an executable whose bytes can no longer change: what was
// hashed is what is started. See seal for how each system does it.
type Program struct {
	Name string
	Sum  sexpr.Digest // SHA-256
	file *os.File     // the sealed copy; elsewhere than on Linux it is started by its path
}

// Open makes a sealed copy of a program and hashes that copy. What happens
// at path while it reads, or later, changes nothing that is started.
func Open(path string) (*Program, error) {
	src, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	p, err := seal(filepath.Base(path), io.LimitReader(src, maxProgram+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Pinned is [Open] for a program that must have this hash. Another one is a
// [ChecksumError].
func Pinned(path string, want sexpr.Digest) (*Program, error) {
	p, err := Open(path)
	if err != nil {
		return nil, err
	}
	if p.Sum != want {
		p.Close()
		return nil, &ChecksumError{Path: path, Want: want, Is: p.Sum}
	}
	return p, nil
}

// ChecksumError says that a program or file is not the one that was pinned.
type ChecksumError struct {
	Path     string
	Want, Is sexpr.Digest
}

// Error names both hashes.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s is not the program that skills.lock pins: it has %s, expected %s; if it is to be trusted, "+
		"`cortex plugins lock` it",
		e.Path, e.Is, e.Want)
}

// openRegular opens a regular file, and no symbolic link to one (Vault's rule: a
// link in the plugin folder is somebody else's choice of program).
func openRegular(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s was replaced while it was opened", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// hashed is the SHA-256 of all that r gives.
func hashed(r io.Reader) (d sexpr.Digest, err error) {
	h := sha256.New()
	if _, err = io.Copy(h, r); err == nil {
		d = sexpr.Digest(h.Sum(nil))
	}
	return d, err
}

// File is a file that a plugin reads, kept as it was when its hash was checked.
type File struct {
	Name string // the last element of its path
	Text []byte
}

// PinnedFile reads a file that must have this hash. Another one is a
// [ChecksumError].
func PinnedFile(path string, want sexpr.Digest) (File, error) {
	d, sum, err := ReadFile(path)
	if err == nil && sum != want {
		err = &ChecksumError{Path: path, Want: want, Is: sum}
	}
	return d, err
}

// ReadFile reads a file, and returns its SHA-256.
func ReadFile(path string) (File, sexpr.Digest, error) {
	f, err := openRegular(path)
	if err != nil {
		return File{}, sexpr.Digest{}, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxProgram))
	return File{Name: filepath.Base(path), Text: text}, sha256.Sum256(text), err
}
