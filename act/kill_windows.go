package act

import (
	"os"
	"os/exec"
)

// isolate does nothing: Windows has no process groups of this sort.
func isolate(*exec.Cmd) {}

// killGroup ends the process alone.
func killGroup(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill() // it may have ended
	}
}

func signalled(*os.ProcessState) int { return -1 }
