// Package wire serves the daemon's REPL on Unix sockets. Its client is package
// gateways/client.
//
// A client and the daemon exchange frames: a length in bytes and one plist
// ([sexpr.WriteFrame]). docs/wire.md describes the protocol and shows a session.
//
// There are two sockets. Who is at the other end of the plain one is learned
// from the kernel when the connection is made, and nothing in a message changes
// it (weaknesses W3 and W38 of the ancestor). The approval socket takes the
// operator's pairing secret on top; only there can somebody answer approvals.
//
// Each client is served by two goroutines, one that reads and one that writes,
// and by one for each request that takes longer than a moment. So a slow model
// holds up no other request, a client that floods waits for its own answers, and
// one that never reads is cut off. What a client sends an event for is durable
// before it hears so, and is answered whether or not it stays.
package wire
