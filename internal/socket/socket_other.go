//go:build !linux

package socket

import (
	"errors"
	"net"
	"time"
)

// errSystem is what everything here answers on systems where it was not tried
// yet how the kernel says who is at the other end of a socket.
var errSystem = errors.New("sockets are served on Linux alone, where the kernel says who is at the other end")

// Listener is a socket that this process serves.
type Listener struct{ *net.UnixListener }

// Listen is refused on this system.
func Listen(string) (*Listener, error) { return nil, errSystem }

// AcceptFrom is refused on this system.
func (l *Listener) AcceptFrom() (c *net.UnixConn, pid int, wait time.Duration, err error) {
	return nil, 0, 0, errSystem
}

// Path returns where the socket stands.
func (l *Listener) Path() string { return "" }

// Of is refused on this system.
func Of(*net.UnixConn) (Peer, error) { return Peer{}, errSystem }

// Ended reports that the other end is unknown.
func Ended(*net.UnixConn) bool { return true }

// Gone reports that the other end is unknown.
func Gone(*net.UnixConn) bool { return true }

// Allow is refused on this system.
func (l *Listener) Allow(int) error { return errSystem }

func descends(int, int) (bool, error) { return false, errSystem }
