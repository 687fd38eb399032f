// Package opening finds the record that a command is about: in a folder that this process can hold, or
// behind the socket of the daemon that holds it. Only one process can hold a folder. Commands that
// look at a record work either way; those that need all of it say that a daemon is in the way.
package opening
