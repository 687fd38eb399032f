// Package project tells which folders are the project of a coding agent: what its rules trust.
//
// The host names the project, each host in its own way. The folder that the host's process stands in
// proves nothing, as an editor that was started from the desktop stands in / or in the home. It only
// confirms what was named. A folder that holds a protected place of the user is never a project.
package project

import (
	"path/filepath"
	"slices"
	"strings"
)

// Protected are the places of a user that no project may hold, below the home.
func Protected() []string {
	return []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials",
		".config/cortex", ".local/state/cortex", ".local/bin",
		".claude", ".codex", ".gemini", ".cursor", ".copilot",
		".bashrc", ".profile", ".zshrc", ".gitconfig",
	}
}

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
// leads to holds a protected place.
func Fits(dir, home string) bool { return filepath.IsAbs(dir) && Holds(dir, home) == "" }

// Holds returns the protected place that a folder is or holds; "" if there is none. The root holds
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
			for _, p := range Protected() {
				if place := filepath.Join(h, filepath.FromSlash(p)); within(place, at) {
					return place
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
