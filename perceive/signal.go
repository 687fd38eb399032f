// Package perceive turns inbound messages into signals.
//
// A signal is something observed: a person's message, a tool's output, a
// heartbeat. The connection, a [Peer], identifies its sender; the message's own
// claims do not count (weaknesses W1, W3 and W38 of the ancestor). The package
// recognises commands that answer an approval before any model sees the text. It is
// pure: it does not read the clock, files or the network.
package perceive

import "github.com/opencortex-go/cortex/sexpr"

// Peer is the identity that a host learned from the connection itself: a Unix
// peer credential, a chat account on an allow-list, the embedding program.
// A message cannot change it.
type Peer struct {
	Source    string   // the channel: "api", "repl", "telegram", ...
	Principal string   // who; approvals call this the requester
	Roles     []string // session.roles for rules
	Session   string   // the session the connection speaks in; "" allows the message to name one
	Operator  bool     // may interrupt other people's work
}

// SourceSocket is the source of signals from the daemon's Unix sockets. The kernel
// vouches for the user account, not for a person: any program of that user may
// connect.
const SourceSocket = "repl"

// Signal is one observed fact. The engine fills Root and Depth; a client's own
// values for them are dropped by [Normalise].
type Signal struct {
	Type      string      // wire type: "event", "request", "response", "log", "status"
	Key       string      // dedupe key, scoped by Source and Principal; "" for none
	Sensor    string      // "user-input", "heartbeat", "tool-output", ...
	Source    string      // the channel, from [Peer]
	Principal string      // on whose behalf, from [Peer]
	Roles     []string    // from [Peer]
	Session   string      // the conversation it belongs to
	Text      string      // the person's text, if a person wrote the signal
	Payload   sexpr.Value // the whole payload, a plist
	Depth     int         // 0 for a signal from outside, parent + 1 for feedback
	Root      uint64      // sequence number of the first signal in the chain; 0: this one
}
