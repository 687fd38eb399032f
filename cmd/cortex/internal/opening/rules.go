package opening

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Rules compiles rule files and folders, examples and all. Each path is a root of its own. Without any
// it returns the empty rulebook, which denies everything.
func Rules(paths []string) (*rules.Rulebook, error) {
	roots := make([]rules.Root, len(paths))
	for i, path := range paths {
		root, err := RootOf(path)
		if err != nil {
			return nil, err
		}
		roots[i] = root
	}
	return reason.Loader(rules.Loader{Functions: daemon.Functions()}).Load(roots...)
}

// RootOf is the root of rules that a path names: a file with nothing but itself and what it includes, or
// a folder with every *.lisp in it.
func RootOf(path string) (rules.Root, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rules.Root{}, fmt.Errorf("--rules %s: no such file or folder", path)
	case err != nil:
		return rules.Root{}, fmt.Errorf("--rules: %w", err)
	case info.IsDir():
		return rules.Root{FS: os.DirFS(path)}, nil
	}
	return rules.Root{FS: os.DirFS(filepath.Dir(path)), Files: []string{filepath.Base(path)}}, nil
}
