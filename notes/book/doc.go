// Package book keeps notes on the record: changes in the log of family "notes", objects as kept content
// that the log pins. What it holds besides is only a memory, read from the log when it is needed.
//
// A change goes on record whole or not at all, with the objects that it rests on, and under a key: the
// same again writes nothing and is answered from the record. Nothing is ever taken off the log.
package book
