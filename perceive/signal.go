// Package perceive turns what the world sends into signals.
//
// A signal is something observed: a person's message, a tool's output, a
// heartbeat. Who sent it is learned from the connection, a [Peer], and never
// from what the message says of itself (weaknesses W1, W3 and W38 of the
// ancestor). Commands that answer an approval are recognised here, before any
// model sees the text. The package is pure: it reads no clock, no file and no
// network.
package perceive

import "github.com/opencortex-go/cortex/sexpr"

// Peer is the identity that a host learned from a connection itself: a Unix
// peer credential, a chat account on an allow-list, the embedding program.
// Nothing in a message changes it.
type Peer struct {
	Source    string   // the channel: "api", "repl", "telegram", ...
	Principal string   // who; approvals call this the requester
	Roles     []string // what rules may ask for in session.roles
	Session   string   // the session the connection speaks in; "" allows the message to name one
	Operator  bool     // may interrupt other people's work
}

// SourceSocket is the source of what comes over the daemon's Unix sockets. The
// kernel vouches for the user there, and for no person: every program of that
// user may speak.
const SourceSocket = "repl"

// Signal is one observed fact. The engine fills Root and Depth; a client's own
// values for them are dropped by [Normalise].
type Signal struct {
	Type      string      // wire type: "event", "request", "response", "log", "status"
	Key       string      // dedupe key, scoped by Source and Principal; "" for none
	Sensor    string      // "user-input", "heartbeat", "tool-output", ...
	Source    string      // where it came from, of [Peer]
	Principal string      // on whose behalf, of [Peer]
	Roles     []string    // of [Peer]
	Session   string      // the conversation it belongs to
	Text      string      // what a person wrote, if that is what it is
	Payload   sexpr.Value // the whole payload, a plist
	Depth     int         // 0 for a signal from outside, parent + 1 for feedback
	Root      uint64      // sequence number of the signal it all began with; 0: this one
}
