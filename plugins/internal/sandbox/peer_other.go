//go:build !linux

package sandbox

import "net"

// PeersKnown says that this system does not tell who listens on a socket.
const PeersKnown = false

// CheckPeer trusts the folder here, which only this user can enter.
func CheckPeer(*net.UnixConn, int) error { return nil }
