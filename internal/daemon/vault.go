package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// vault is a folder with a file for each secret, named like it, each for its owner alone.
// Files are read when they are needed, so that a secret can be changed at any time.
type vault struct{ dir string }

// maxSecret bounds a secret, in bytes.
const maxSecret = 64 << 10

// Secret implements [act.Vault].
func (v vault) Secret(_ context.Context, name string) (string, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", errors.New("expected the name of a file in the vault")
	}
	root, err := os.OpenRoot(v.dir) // no link leads out of it
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("others may read it (mode %o); run chmod 600", info.Mode().Perm())
	case info.Size() > maxSecret:
		return "", fmt.Errorf("it has %d bytes, expected at most %d", info.Size(), maxSecret)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return "", errors.New("it is empty")
	}
	return secret, nil
}

// check returns what is wrong with the folder, or nil.
func (v vault) check() error {
	info, err := os.Stat(v.dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: expected a folder with a file for each secret", v.dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s: others may use it (mode %o); run chmod 700", v.dir, info.Mode().Perm())
	}
	return nil
}
