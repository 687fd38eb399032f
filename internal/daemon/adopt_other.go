//go:build !linux

package daemon

import "context"

// adopt does nothing on systems without subreapers. Sockets are not served there
// either.
func adopt() error { return nil }

func bury(context.Context) {}
