// Package client talks to an engine with Go's types, where people type forms.
//
// [Dial] connects to a daemon's socket. A [Conn] says things to the model, hears
// how the daemon stands, and evaluates forms; docs/wire.md describes what it sends.
// [InProcess] asks an engine that this process holds. Both have the same [Calls]:
// one method for each command of the REPL that programs use. A method sends the
// command as a form and reads the value of the answer, never its text for people.
//
// There are two sockets. The plain one says who the caller is, from the kernel.
// On the approval socket the caller shows the operator's pairing secret with
// [Conn.Auth], and may then approve, deny and settle.
package client
