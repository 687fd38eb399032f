// Package wal is the log of commits, the first of the two places in which a store keeps
// everything. A commit is one frame ([Log.Append]), chained to the one before by its hash,
// and durable when Append returns. Frames stand in segments, files that follow one another.
// A base is a file that stands for all frames up to one: it lets the log forget what was
// deleted or written over ([Log.Rebase]).
//
// [Open] checks how far the log goes, hands over the frames that the tables lack, and
// refuses a log that is not as it was written, with a [guard.Damage] that says where. Only
// the last frame may be cut off: that is what a crash leaves, and it was never acknowledged.
//
// The log knows nothing of Pebble but its file systems.
package wal
