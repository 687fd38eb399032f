// Package guard stands between a store and its disk. A change to the disk that fails makes
// the store dead ([Death]): the goroutine that made the change is parked for good, together
// with every later one that wants to change something, and the callers get the cause. So
// Pebble never hears of a failed write, which it would answer by ending the process.
//
// Want of space and of file descriptors is not a failure. A part of the disk is kept back for
// what finishes something, and what was refused is tried again until it passes.
//
// An overlay keeps every change in memory, for a store that is only to be read.
package guard
