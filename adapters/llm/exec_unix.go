//go:build unix

package llm

import (
	"os/exec"
	"syscall"
)

// isolate starts cmd in a session of its own, which is a process group of its
// own and has no terminal. What ends cmd ends the group.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func killGroup(leader int) {
	_ = syscall.Kill(-leader, syscall.SIGKILL) // ESRCH: none is left
}
