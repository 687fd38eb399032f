// Package desk is what people do with notes: import files, look, go back, export. Every way to a person,
// the command line or the REPL, makes these orders; no model has them, and to people nothing is private.
// An order is a verb and an object in JSON, so that one form of the REPL carries them all.
package desk
