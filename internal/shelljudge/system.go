package shelljudge

import "strings"

// system reports whether an event is about the folders with the libraries that
// programs are linked with, which are the host's and read-only, or about the file
// that a shell puts a here-document into.
func system(e Event) bool {
	switch e.Sort {
	case Read, List:
		for _, dir := range []string{"/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/"} {
			if strings.HasPrefix(e.Path, dir) {
				return true
			}
		}
	}
	scratch := strings.HasPrefix(e.Path, "/tmp/zsh") || strings.HasPrefix(e.Path, "/tmp/sh")
	return e.Shell && scratch && (e.Sort == Write || e.Sort == Read)
}
