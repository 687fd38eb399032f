package llm

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// reap waits for cmd and kills the rest of its group. Until then the process stays a
// zombie, so that the kernel cannot reuse its pid.
func reap(cmd *exec.Cmd) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	killGroup(cmd.Process.Pid)
	return cmd.Wait()
}
