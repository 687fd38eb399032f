// Package socket opens the Unix sockets that people talk to the daemon through,
// and learns from the kernel who is at the other end.
//
// A socket has mode 0600 and stands in a folder that nobody else may write, so
// nobody else can put another in its place. Whoever connects must have the
// daemon's uid or be root, whatever the modes are, and must not be a process
// that the daemon started: what tools want goes through the gates. Clients check
// the daemon in the same way.
package socket

import (
	"errors"
	"fmt"
	"os/user"
	"strconv"
)

// Errors that callers tell apart.
var (
	// ErrRunning says that a living process serves the socket.
	ErrRunning = errors.New("another process serves this socket")
	// ErrRefused says that a peer may not speak here.
	ErrRefused = errors.New("refused")
)

// Peer is the process at the other end of a connection, as the kernel knew it
// when the connection was made.
type Peer struct {
	UID int
	PID int // 0 if it is in a place that this process cannot see
}

// Name is the peer's user name, or "uid-N" if the uid has none.
func (p Peer) Name() string {
	uid := strconv.Itoa(p.UID)
	if u, err := user.LookupId(uid); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid-" + uid
}

// Check reports why the peer may not speak to a process with the uid own, or
// nil.
func (p Peer) Check(own int) error {
	if p.UID == own || p.UID == 0 {
		return nil
	}
	return fmt.Errorf("%w: the process at the other end has uid %d, and only uid %d and root are served here", ErrRefused, p.UID, own)
}

// CheckDescent reports that the process pid started the peer, or started one that
// did. It is a hint: a process whose parents have ended does not show it.
func (p Peer) CheckDescent(pid int) error {
	if !descends(p.PID, pid) {
		return nil
	}
	return fmt.Errorf("%w: processes that the daemon started are not served here; what a tool wants goes through the gates", ErrRefused)
}
