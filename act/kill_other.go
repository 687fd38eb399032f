//go:build !linux

package act

import (
	"os"
	"os/exec"
)

// reap waits for cmd and calls over once it has ended.
func reap(cmd *exec.Cmd, over func()) error {
	err := cmd.Wait()
	over()
	return err
}

// kill ends a command and its group. It finds processes that left the group only
// on Linux.
func kill(leader int) { killGroup(leader) }

// killHolders does nothing where the holders of a pipe cannot be found. Closing
// our end of the pipe ends the wait for them.
func killHolders([]*os.File) {}
