// Package journal is the append-only, hash-chained record of everything that Cortex
// sees and does. All changes of its state go through it.
//
// Callers pass [Journal.Update] a function. A single writer runs these functions one
// after another, each on a [Tx] that sees the writes before it, and makes a group of
// them durable with one commit of the [Store]. Only then does Update return, and
// only then can other readers see the writes. So a compare-and-set is an if
// statement, sequence numbers have no gaps, and every acknowledged write is on disk.
//
// Each [Record] holds the hash of the one before it. The head, the number and
// hash of the newest record, is committed with every record, so [Journal.Verify]
// finds a record that was changed, removed, added, swapped or cut off, and names
// it. A chain alone cannot show that its end, head included, was removed, or that
// all of it was rewritten. To detect that, keep a [Head] in another place and pass
// it to Verify.
//
// The journal owns the keys that begin with 'e': 'e' and eight bytes of a
// big-endian number is a record, 'e' and 0xff the head. All other keys belong to the
// caller, for example for indexes; updates write records and index entries in one
// step.
//
// After the store fails, the journal is read-only: every update returns
// [ErrReadOnly] with the cause, and durable records can still be read.
package journal
