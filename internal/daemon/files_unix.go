//go:build unix

package daemon

import "syscall"

// filesAllowed is how many files this process may have open (RLIMIT_NOFILE).
func filesAllowed() (most uint64, known bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return l.Cur, true
}
