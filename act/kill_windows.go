package act

import (
	"os"
	"os/exec"
)

// isolate does nothing: Windows has no such process groups.
func isolate(*exec.Cmd) {}

// killGroup ends only the process.
func killGroup(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill() // it may have ended
	}
}

func signalled(*os.ProcessState) int { return -1 }
