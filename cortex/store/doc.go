// Package store keeps a journal's entries in a folder, or in memory, with
// Pebble. It is the only package that knows Pebble, and hides it whole: what
// others see is [journal.Store], [Options] and, for tests, [Disk].
//
// Left alone, Pebble loses data without a word where its write-ahead log is
// damaged, shows what is not on disk yet, ends the process when a write fails,
// and dies of an unlocked mutex when that happens while it changes logs. Here it
// does none of these. The format is the newest one, which finds damage in the
// log, from the first log on. Readers see a snapshot of the last commit that was
// synced. And the file system that Pebble is given never reports a failed write:
// the first failure makes the store dead, whoever waits gets an error, and the
// goroutine that failed is parked for good, together with every later one that
// wants to change the disk. So a failing disk means a typed error and a store
// that can still be read; nothing is written to it until it is opened anew.
package store
