//go:build unix

package act

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate makes cmd start in its own session and process group without a
// terminal, so that a command cannot write to the operator's.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup kills every process of the group that leader began.
func killGroup(leader int) {
	_ = syscall.Kill(-leader, syscall.SIGKILL) // ESRCH: none is left
}

// signalled is the exit code that a shell gives for death by a signal.
func signalled(state *os.ProcessState) int {
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return -1
}
