// Package store keeps a journal's entries in a folder, or in memory, with Pebble. Others see
// a [journal.Store], [Options] and [Damage]; Pebble is hidden whole. Package fsck checks and
// repairs a store that is not open, and storetest has a disk for tests.
//
// What is durable stands in two places. The first is a log of the store's own (package
// wal): each commit is one frame, chained to the one before by its hash, and is synced
// before anybody hears of it. Pebble (package tables) runs without a write-ahead log and
// follows, without a sync: whatever it has not put into tables when the process ends, it
// gets from the log when the store is opened again. So a commit costs one sync,
// and a fault of the disk hits one place of two. Pebble is never ahead of the log,
// and knows how far it has come: where the two do not fit, Open refuses, and says
// where ([Damage]). A commit that was cut off by a crash is not damage; it was
// never acknowledged. Now and then the log is divided, and its older part, once
// most of it was deleted or written over, replaced by a base: what lives as of then.
//
// Left alone, Pebble shows what is not on disk yet, ends the process when a write
// fails, and dies of an unlocked mutex when that happens at a bad moment. Here it
// does none of these. Readers see a snapshot of the last commit that was synced.
// And the file system that Pebble is given (package guard) never reports a failed write: the
// first failure makes the store dead, anyone who waits gets an error, and the goroutine that
// failed is parked for good, together with every later one that wants to change the
// disk. So a failing disk means a typed error and a store that can still be read;
// nothing is written to it until it is opened anew. A full disk is different:
// commits are [journal.ErrFull] until there is space.
package store
