// Package bundle takes a run out of a record and into another: its log, with everything that the
// log pins, as one JSON text.
//
// What is in a bundle, and why:
//
//   - The events, and a manifest of the appends that entered them. A digest in the manifest is over
//     the lines as they stand in the bundle, so that it can be checked without the record.
//   - The plan, the snapshots and the artifacts, by digest. A run cannot go on without them.
//   - The contexts, written out in the events that set them. Import keeps them by digest again.
//   - The replies, by digest. A client that repeats a call gets the same bytes from the copy, and a
//     reply was kept with a hole where its ticket goes.
//   - No ticket. The words of agents and people may quote one; a mark stands for it.
//   - No absolute path in what the engine wrote: a folder that was observed is there as its digest.
//     What people, agents and authors of plans wrote stays as it is.
//   - No principal, no approval, no source of a key of work. Who imports a run owns it, and what a
//     bundle says counts as little as what an agent wrote.
//
// Every value of the session is listed with its size and digest, no list leaves one out, and every
// key is the digest of its content. That shows damage; anyone can make such a list, so it proves no
// origin. [Read] checks all of it before [Import] writes anything, and takes no text that [Export]
// would have written otherwise.
package bundle
