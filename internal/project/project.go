// Package project tells which folders are the project of a coding agent: what its rules trust.
//
// The host names the project, each host in its own way. The folder that the host's process stands in
// proves nothing, as an editor that was started from the desktop stands in / or in the home. It only
// confirms what was named. A folder that holds one of the [Places] of the user, or lies in one, is never a project.
package project

import (
	"path/filepath"
	"slices"
	"strings"
)

// Of returns the folders of a project, as they were named and, where they are links, where these lead:
// the named ones that may be a project. There are none if the process of the host stands in a folder
// that may be a project, outside all of them; "" is a process whose folder is unknown.
func Of(named []string, stands, home string) []string {
	roots := []string{}
	for _, dir := range named {
		for _, r := range spellings(dir) {
			if !slices.Contains(roots, r) && Fits(dir, home) {
				roots = append(roots, r)
			}
		}
	}
	in := func(root string) bool { return within(stands, root) }
	if stands != "" && Fits(stands, home) && !slices.ContainsFunc(roots, in) {
		return []string{}
	}
	return roots
}

// Fits reports whether a folder may be a project: it is absolute, and neither it nor the folder that it
// leads to is, holds or lies in a place of [Places].
func Fits(dir, home string) bool { return filepath.IsAbs(dir) && Holds(dir, home) == "" }

// Holds returns the place of [Places] that a folder is, holds or lies in; "" if there is none. The root holds
// everything.
func Holds(dir, home string) string {
	for _, at := range spellings(dir) {
		if filepath.Dir(at) == at {
			return at
		}
		if home == "" {
			continue
		}
		for _, h := range spellings(home) {
			for _, p := range Places() {
				for _, name := range p.Home {
					if place := below(h, name); p.holds(at, place) {
						return place
					}
				}
			}
		}
	}
	return ""
}

// spellings are a clean path, and where it leads if that is another one.
func spellings(dir string) []string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// within reports whether a path is a folder or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir,
		string(filepath.Separator))+string(filepath.Separator))
}
