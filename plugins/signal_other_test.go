//go:build !unix

package plugins

import (
	"errors"
	"syscall"
)

// sigStop is not known to this system; [send] does not send it.
const sigStop = syscall.Signal(-1)

// send returns an error: this system has no such signals.
func send(int, syscall.Signal) error { return errors.ErrUnsupported }
