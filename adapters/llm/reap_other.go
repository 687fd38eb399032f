//go:build !linux

package llm

import "os/exec"

// reap waits for cmd and ends what it left in its group.
func reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid)
	return err
}
