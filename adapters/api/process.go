package api

import (
	"time"

	"github.com/opencortex-go/cortex/internal/socket"
)

// process is one that runs, or ran. Its number alone may be another's later.
type process struct {
	pid     int
	started time.Duration // since the machine started
}

// caller is who is at the other end of a connection, from the kernel.
type caller struct {
	user  string
	token bool    // it showed the token of the loopback port, and the kernel does not know it
	peer  process // that has made the connection; the zero process if it is unknown
	cwd   string  // its folder; "" if unknown
	// above is the program that started the peer as a hook: the first one that is no shell.
	// since is when the oldest of the peer and what stands between started. The zero process if the peer hangs
	// from no such program.
	above    process
	since    time.Duration
	aboveCwd string
	// shell is when the oldest shell above that program started; 0 if there is none. A process that its parent
	// left behind hangs from the first process or a supervisor, so no shell that is older than its host is above it.
	shell time.Duration
}

// hooks are the hosts that start a process for each event. The others speak themselves.
var hooks = map[string]bool{"claude": true, "codex": true, "gemini": true, "cursor": true, "copilot": true}

// host is the process that a session belongs to, and its folder.
func (c caller) host(kind string) (process, string) {
	if hooks[kind] {
		return c.above, c.aboveCwd
	}
	return c.peer, c.cwd
}

// callerOf looks at the process at the other end.
func callerOf(p socket.Peer) caller {
	c := caller{user: p.Name()}
	look(&c, p.PID)
	return c
}
