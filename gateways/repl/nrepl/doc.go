// Package nrepl connects editors to the engine with nREPL: bencode messages on a
// Unix socket.
//
// It offers the same service as the plain socket of package wire: the same
// evaluator, the same identity from the kernel, no operator. In other nREPL servers
// any client may run any code in the process. Here forms are those of package repl,
// and their effects go through the gates. Sessions belong to the connection that made
// them and end with it.
package nrepl
