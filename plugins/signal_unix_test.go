//go:build unix

package plugins

import "syscall"

// sigStop stops a process until it is continued.
const sigStop = syscall.SIGSTOP

// send sends a signal to a process.
func send(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }
