package shelljudge

import "strings"

// library reports whether a path lies in the folders with the libraries that
// programs are linked with, which are the host's and read-only. No line is judged
// by what is read there.
func library(path string) bool {
	for _, dir := range []string{"/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/"} {
		if strings.HasPrefix(path, dir) && !strings.Contains(path, "..") {
			return true
		}
	}
	return false
}

// scratch reports whether an event is about the file that a shell puts a
// here-document into.
func scratch(e Event) bool {
	named := strings.HasPrefix(e.Path, "/tmp/zsh") || strings.HasPrefix(e.Path, "/tmp/sh")
	return e.Shell && named && (e.Sort == Write || e.Sort == Read)
}
