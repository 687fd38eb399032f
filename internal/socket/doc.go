// Package socket opens the Unix sockets that people talk to the daemon through,
// and learns from the kernel who is at the other end.
//
// A socket has mode 0600 and stands in a folder that only its owner may write, so
// no other user can put another in its place. Anyone who connects must have the
// daemon's uid or be root, whatever the modes are, and must not be a process
// that the daemon started, as far as /proc shows it: what tools want goes through
// the gates. Clients check the daemon in the same way.
package socket

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
)

// Errors that callers tell apart.
var (
	// ErrRunning says that a living process serves the socket.
	ErrRunning = errors.New("another process serves this socket")
	// ErrRefused says that a peer may not speak here.
	ErrRefused = errors.New("refused")
)

// Admit sees who is at the other end, and reports why they may not speak to this
// process, which serves the users with these uids and nothing that it started.
func Admit(c *net.UnixConn, uids ...int) (Peer, error) {
	p, err := Of(c)
	if err == nil {
		err = p.Check(uids...)
	}
	if err == nil {
		err = p.CheckDescent(os.Getpid())
	}
	if err == nil && Ended(c) { // after the look at its ancestors
		err = fmt.Errorf("%w: the process that made this connection has ended, so it is not known who started it", ErrRefused)
	}
	return p, err
}

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

// Check reports why the peer may not speak to a process that serves the users
// with these uids, or nil. Root always may.
func (p Peer) Check(uids ...int) error {
	if p.UID == 0 || slices.Contains(uids, p.UID) {
		return nil
	}
	return fmt.Errorf("%w: the process at the other end has uid %d, and only uid %s and root are served here", ErrRefused,
		p.UID, strings.Trim(fmt.Sprint(uids), "[]"))
}

// CheckDescent reports that the process pid started the peer, or started one that
// did, or that this is unknown: the peer or a process above it has ended, or cannot
// be seen. A process whose parents have ended is found where pid adopts orphans
// (PR_SET_CHILD_SUBREAPER), and otherwise not. So this is a hint on top: what was
// started through another service, such as cron, does not show it.
func (p Peer) CheckDescent(pid int) error {
	ours, err := descends(p.PID, pid)
	switch {
	case err != nil:
		return fmt.Errorf("%w: it is not known who started process %d: %w; the daemon serves processes whose ancestors it "+
			"can see", ErrRefused, p.PID, err)
	case ours:
		return fmt.Errorf("%w: processes that the daemon started are not served here; what a tool wants goes through the "+
			"gates", ErrRefused)
	}
	return nil
}
