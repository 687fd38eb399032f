// Package nrepl lets editors speak to the engine: nREPL, which is messages in
// bencode, on a Unix socket.
//
// It is another door to the same room as the plain socket of package wire: the
// same evaluator, the same identity from the kernel, no operator. What the
// protocol takes for granted elsewhere, that anyone who connects may run any code
// in the process, holds for nothing here: forms are those of package repl, and
// whatever they want done goes through the gates. Sessions belong to the
// connection that made them and end with it.
package nrepl
