package cortex

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// realpath is the look-up that an engine answers where the embedder gives none:
// where a path leads when symbolic links are followed. Of a path that does not
// exist, the part that does is followed.
func realpath(function, argument string) (string, error) {
	if function != "realpath" {
		return "", fmt.Errorf("no such look-up: %s", function)
	}
	rest := ""
	for dir := filepath.Clean(argument); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return "", errors.New("where this path leads cannot be seen") // the cause names more than rules need
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
