// Package journal is the append-only, hash-chained record of all that Cortex
// sees and does, and the one place where its state changes.
//
// Anyone who wants to change something hands [Journal.Update] a function. A single
// writer runs these functions one after another, each on a [Tx] that sees what
// the ones before it wrote, and makes a whole group of them durable with one
// commit of the [Store]. Only then does Update return, and only then can
// anybody else read what was written. So a compare-and-set is an if statement,
// sequence numbers have no gaps, and what was acknowledged is on disk.
//
// Each [Record] holds the hash of the one before it. The head, the number and
// hash of the newest record, is committed with every record, so [Journal.Verify]
// finds a record that was changed, removed, added, swapped or cut off, and names
// it. What a chain cannot show by itself is that its end, head included, was
// taken away or that all of it was written anew: for that, keep a [Head] in
// another place and hand it to Verify.
//
// The journal owns the keys that begin with 'e': 'e' and eight bytes of a
// big-endian number is a record, 'e' and 0xff the head. All other keys belong to the
// caller, who may index there what it records; updates write records and index
// entries in one step.
//
// When the store fails, the journal is read-only from then on: every update
// returns [ErrReadOnly] with the cause, and what was durable can still be read.
package journal
