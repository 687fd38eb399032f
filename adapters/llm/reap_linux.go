package llm

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// reap waits for cmd and ends what it left in its group. Until that is done the
// process stays a zombie, so that its number cannot be given to others.
func reap(cmd *exec.Cmd) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	killGroup(cmd.Process.Pid)
	return cmd.Wait()
}
