//go:build !linux

package plugins

import "net"

const peersKnown = false

// checkPeer trusts the folder here, which only this user can enter.
func checkPeer(*net.UnixConn, int) error { return nil }
