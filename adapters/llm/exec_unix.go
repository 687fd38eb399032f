//go:build unix

package llm

import (
	"os/exec"
	"syscall"
)

// isolate makes cmd start in its own session and process group, without a terminal.
// Ending cmd ends the group.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func killGroup(leader int) {
	_ = syscall.Kill(-leader, syscall.SIGKILL) // ESRCH: none is left
}
