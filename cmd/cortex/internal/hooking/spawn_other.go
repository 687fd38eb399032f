//go:build !unix

package hooking

import (
	"context"
	"errors"
	"os/exec"
)

func apart(*exec.Cmd) {}

// lock says that a daemon cannot be started here: it needs Unix sockets.
func lock(context.Context, string) (func(), error) {
	return nil, errors.New("this system has no daemon; install the hook with --standalone")
}
