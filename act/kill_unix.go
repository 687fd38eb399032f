//go:build unix

package act

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate starts cmd in a session of its own, which is also a process group of
// its own and has no terminal: a command cannot type to the operator's.
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
