package daemon

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// noDumps keeps the memory of this process from the disk and from other processes of the
// same user: no core dump, no debugger. It holds for the process, and the limit for what it
// starts.
func noDumps() error {
	err := errors.Join(unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}), unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	if err != nil {
		return fmt.Errorf("core dumps cannot be switched off: %w", err)
	}
	return nil
}
