package sandbox

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// PeersKnown says that the kernel tells who listens on a socket.
const PeersKnown = true

// CheckPeer refuses a socket on which another process than pid began to listen.
func CheckPeer(conn *net.UnixConn, pid int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || credErr != nil {
		return errors.Join(err, credErr)
	}
	if int(cred.Pid) != pid {
		return fmt.Errorf("process %d listens on its socket, and it is process %d", cred.Pid, pid)
	}
	return nil
}
