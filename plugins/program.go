package plugins

import (
	"crypto/sha256"
	"encoding/hex"
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

// program is an executable whose bytes nobody can change any more: what was
// hashed is what is started. See seal for how each system does it.
type program struct {
	name string
	sum  sexpr.Digest
	file *os.File // the sealed copy; elsewhere than on Linux it is started by its path
}

// openProgram makes a sealed copy of a program and hashes that copy. What happens
// at path while it reads, or later, changes nothing that is started.
func openProgram(path string) (*program, error) {
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

// pinned is openProgram for a program that must have this hash.
func pinned(path string, want sexpr.Digest) (*program, error) {
	p, err := openProgram(path)
	if err != nil {
		return nil, err
	}
	if p.sum != want {
		p.close()
		return nil, &ChecksumError{Path: path, Want: want, Is: p.sum}
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
		return nil, fmt.Errorf("%s is no regular file", path)
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

// data is a file that a plugin reads, kept as it was when its hash was checked.
type data struct {
	name string
	text []byte
}

// pinnedFile reads a file that must have this hash.
func pinnedFile(path string, want sexpr.Digest) (data, error) {
	d, sum, err := takeFile(path)
	if err == nil && sum != want {
		err = &ChecksumError{Path: path, Want: want, Is: sum}
	}
	return d, err
}

func takeFile(path string) (data, sexpr.Digest, error) {
	f, err := openRegular(path)
	if err != nil {
		return data{}, sexpr.Digest{}, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxProgram))
	return data{name: filepath.Base(path), text: text}, sha256.Sum256(text), err
}

func hexSum(d sexpr.Digest) string { return hex.EncodeToString(d[:]) }
