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

// ErrUntrusted says that somebody besides the daemon's user and root could have
// written a file, or could put another in its place.
var ErrUntrusted = errors.New("not trusted")

// trustedFS is a folder whose files are opened only if nobody but the daemon's
// user and root can change what is read. It is asked at every load, of the file
// that is open, so that a reload is as careful as the start; and it never leaves
// the folder, whatever links lead out of it.
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
	root, err := os.OpenRoot(t.dir) // anew each time: the folder may be another one by now
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
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

// chain checks every folder on the way to a path, and every link, as the kernel
// walks them: anyone who may change one of them decides what stands at its end.
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

// check reports who else could change a file or folder. A folder on the way may
// be open to all if only owners can remove what stands in it, as in /tmp.
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

// roots are the rule files of a configuration, in the order given: of a folder
// every *.lisp and what they include, of a file that one.
func (c *Config) roots() (roots []rules.Root, err error) {
	var faults Faults
	for _, name := range c.Rules {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, c.fault("rules", "%s: there is no such file or folder", name))
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
		r.FS = trustedFS{name, os.Geteuid()}
		if c.TrustRules {
			r.FS = os.DirFS(name)
		}
		roots = append(roots, r)
	}
	return roots, faults.orNil()
}

// checkFile reports whether somebody else could have written the configuration.
func checkFile(file string) error {
	f, err := trustedFS{filepath.Dir(file), os.Geteuid()}.Open(filepath.Base(file))
	if err != nil {
		return err
	}
	return f.Close()
}

// checkRecord reports who else could change the record in a folder, or put another in its
// place. One that is still to be made is where its folder will be.
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
