package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// MaxLinks is how many symbolic links one path may lead through.
const MaxLinks = 40

// Realpath is the look-up that an engine uses if the embedder gives none. It returns where
// a path leads when symbolic links are followed one after the other, as the system does,
// so that .. leads out of the folder that a link led to. Of a path that does not exist, it
// follows the part that does; a link to a missing file leads to that file's path. It also tells
// where the links lead that a pattern of names matches ([facts.Lookup]).
func Realpath(function, argument string) (string, error) {
	switch function {
	case "links":
		return links(argument)
	case "realpath":
	default:
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
		if len(at) > longestPath {
			return "", ErrUnseen
		}
		next := filepath.Join(at, seg)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // nothing lies in a file
			at, todo = below(next, todo)
			continue
		case err == nil && info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		case err != nil:
			return "", ErrUnseen
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > MaxLinks {
			return "", ErrUnseen
		}
		if filepath.IsAbs(target) {
			at = root
		}
		todo = append(segments(target), todo...)
	}
	if len(at) > longestPath {
		return "", ErrUnseen
	}
	return at, nil
}

// mostNames bounds the names that a pattern may match, and mostTargets the links among them.
const (
	mostNames   = 10_000
	mostTargets = 64
)

// links returns where the links lead that a pattern matches, one a line, sorted.
func links(pattern string) (string, error) {
	names, err := doublestar.FilepathGlob(pattern)
	if err != nil || len(names) > mostNames {
		return "", ErrUnseen
	}
	var targets []string
	for _, name := range names {
		real, err := Realpath("realpath", name)
		if err != nil || strings.Contains(real, "\n") {
			return "", ErrUnseen
		}
		if real != name && !slices.Contains(targets, real) {
			if targets = append(targets, real); len(targets) > mostTargets {
				return "", ErrUnseen
			}
		}
	}
	slices.Sort(targets)
	return strings.Join(targets, "\n"), nil
}

// below follows todo as far as it stays below a path that does not exist, where there
// cannot be links. It returns the path reached and the segments that are left.
func below(missing string, todo []string) (string, []string) {
	at := []byte(missing)
	for ; len(todo) > 0 && len(at) <= longestPath; todo = todo[1:] {
		switch seg := todo[0]; seg {
		case "", ".":
		case "..":
			if len(at) == len(missing) {
				return missing, todo
			}
			at = at[:bytes.LastIndexByte(at, filepath.Separator)]
		default:
			at = append(append(at, filepath.Separator), seg...)
		}
	}
	return string(at), todo
}

// longestPath is the longest path, in bytes, that is followed. Operating systems accept no
// longer one.
const longestPath = 4096

// ErrUnseen says that a path cannot be followed. It gives no details about the host.
var ErrUnseen = errors.New("where this path leads cannot be seen")

func segments(path string) []string {
	return strings.Split(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
}
