// Package notes is a memory in notes: a tree of texts, each with a title, tags and properties.
//
// What a note says is an [Object], named by the SHA-256 of its canonical form and never changed. A
// [Change] says which objects stand where from now on. A [Tree] is what holds after some changes. It
// knows all versions of each note: a rollback is one more change, and takes nothing away.
//
// A [Draft] is a change that is ready to go on record, with the objects that it needs. Package
// notes/book keeps both. Nothing here reads a clock, a file or a random number.
package notes
