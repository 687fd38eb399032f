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
	// The C library looks up the port of /dev/tcp/host/port, which is a host that is
	// listed, and how many groups a user may have.
	return path == "/etc/services" || path == "/proc/sys/kernel/ngroups_max"
}

// scratch reports whether an event is about the file that a shell puts a
// here-document into.
func scratch(e Event) bool {
	named := strings.HasPrefix(e.Path, "/tmp/zsh") || strings.HasPrefix(e.Path, "/tmp/sh")
	return e.Shell && named && (e.Sort == Write || e.Sort == Read)
}
