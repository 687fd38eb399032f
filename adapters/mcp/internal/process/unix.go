//go:build unix

package process

import (
	"errors"
	"os/exec"
	"syscall"
)

// group gives the program a group of its own, so that what it starts can be ended with it,
// and a Ctrl-C at the terminal is the proxy's.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) error {
	if err := syscall.Kill(-cmd.Process.Pid, s); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
