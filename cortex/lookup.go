package cortex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links one path may lead through.
const maxLinks = 40

// realpath is the look-up that an engine answers where the embedder gives none:
// where a path leads when symbolic links are followed, one after the other as
// the system does, so that .. leads out of where a link led. Of a path that does
// not exist, the part that does is followed; a link to nothing leads there.
func realpath(function, argument string) (string, error) {
	if function != "realpath" {
		return "", fmt.Errorf("no such look-up: %s", function)
	}
	root := filepath.VolumeName(argument) + string(filepath.Separator)
	at, todo := root, segments(argument)
	for links := 0; len(todo) > 0; {
		seg := todo[0]
		todo = todo[1:]
		switch seg {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, seg)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		case err != nil:
			return "", errUnseen
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", errUnseen
		}
		if filepath.IsAbs(target) {
			at = root
		}
		todo = append(segments(target), todo...)
	}
	return at, nil
}

// errUnseen says no more than rules need.
var errUnseen = errors.New("where this path leads cannot be seen")

func segments(path string) []string {
	return strings.Split(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
}
