package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/skills/rules"
)

// ErrUntrusted says that a user other than the daemon's and root could have written
// or replaced a file.
var ErrUntrusted = errors.New("not trusted")

// trustedFS is a folder whose files are opened only if no user but the daemon's and
// root can change them. It checks the open file at every load, so that a reload is as
// careful as the start. It does not follow links out of the folder.
type trustedFS struct {
	dir string // absolute
	uid int
}

// Open opens a file or folder in the folder.
func (t trustedFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err := t.chain(t.dir); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	root, err := os.OpenRoot(t.dir) // each time, because the folder may have been replaced
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // opened only for reading
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := root.Stat(dir)
		if err == nil {
			err = t.check(filepath.Join(t.dir, dir), info, false)
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = t.check(filepath.Join(t.dir, name), info, false)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(err, f.Close())}
	}
	return f, nil
}

// chain checks every folder and link of a path, as the kernel walks them: a user who
// may change one of them decides which file the path names.
func (t trustedFS) chain(name string) error {
	at, rest := string(filepath.Separator), strings.Split(strings.Trim(name, "/"), "/")
	for links := 0; ; {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if err := t.check(at, info, len(rest) > 0); err != nil {
				return err
			}
		} else {
			to, err := os.Readlink(at)
			if err == nil {
				err = t.owned(at, info)
			}
			if links++; err == nil && links > 40 {
				err = &fs.PathError{Op: "open", Path: name, Err: errors.New("too many links")}
			}
			if err != nil {
				return err
			}
			rest = append(strings.Split(to, "/"), rest...)
			at = filepath.Dir(at)
			if filepath.IsAbs(to) {
				at = string(filepath.Separator)
			}
		}
		for len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// check returns an error if another user could change a file or folder. A folder of
// the path may be writable for all if it is sticky, like /tmp.
func (t trustedFS) check(name string, info fs.FileInfo, onTheWay bool) error {
	if err := t.owned(name, info); err != nil {
		return err
	}
	sticky := onTheWay && info.IsDir() && info.Mode()&fs.ModeSticky != 0
	if info.Mode().Perm()&0o022 != 0 && !sticky {
		return fmt.Errorf("%w: others may write %s (mode %04o); chmod go-w %s, or say --trust-rules", ErrUntrusted, name,
			info.Mode().Perm(), name)
	}
	return nil
}

func (t trustedFS) owned(name string, info fs.FileInfo) error {
	uid, known := owner(info)
	switch {
	case !known:
		return fmt.Errorf("%w: this system does not say who owns %s; take it as it is with --trust-rules", ErrUntrusted, name)
	case uid != 0 && uid != t.uid:
		return fmt.Errorf("%w: %s belongs to uid %d, expected root or uid %d, which the daemon runs as; or say --trust-rules",
			ErrUntrusted, name, uid, t.uid)
	}
	return nil
}

// roots are the guard, if it is on, and the rule files of a configuration in the order
// given: of a folder every *.lisp and what they include, of a file that one.
func (c *Config) roots() (roots []rules.Root, err error) {
	var faults Faults
	roots = c.guardRoots()
	for _, name := range c.Rules {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, c.fault("rules", "%s: no such file or folder", name))
			continue
		case err != nil:
			faults = append(faults, c.fault("rules", "%v", err))
			continue
		}
		var r rules.Root
		if !info.IsDir() {
			r.Files = []string{filepath.Base(name)}
			name = filepath.Dir(name)
		}
		r.FS = c.folder(name)
		roots = append(roots, r)
	}
	return roots, faults.orNil()
}

// checkFile returns an error if another user could have written the configuration.
func checkFile(file string) error {
	f, err := trustedFS{filepath.Dir(file), os.Geteuid()}.Open(filepath.Base(file))
	if err != nil {
		return err
	}
	return f.Close()
}

// checkRecord returns an error if another user could change or replace the record in
// a folder. For a record that does not exist yet it checks the parent folder.
func checkRecord(dir string) error {
	t := trustedFS{dir, os.Geteuid()}
	for _, name := range []string{dir, filepath.Join(dir, "log")} {
		at := name
		for {
			if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
				break
			}
			at = filepath.Dir(at)
		}
		if err := t.chain(at); err != nil {
			text, _, _ := strings.Cut(err.Error(), ", or say --trust-rules")
			text, _, _ = strings.Cut(text, "; or say --trust-rules")
			return &recordError{dir, text, err}
		}
	}
	return nil
}

// recordError says why the folder of a record is not trusted.
type recordError struct {
	dir, text string
	err       error
}

func (e *recordError) Error() string { return fmt.Sprintf("the record in %s: %s", e.dir, e.text) }

func (e *recordError) Unwrap() error { return e.err }
