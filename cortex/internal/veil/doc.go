// Package veil hides secret arguments in the record. It is the [journal.Veil] of an engine.
//
// A body that goes into the record with an action of a tool that declares :secret arguments
// is stored with a mark in place of each, such as "[secret 9f3ac21b.1]". Of such an argument
// the veil also remembers the text, for its session, and puts a mark in place of it wherever
// a later body quotes it: a receipt that echoes it, feedback, a reason, an answer. What the
// marks stand for is encrypted under a key of the record's own and kept in the body under
// :veiled; that key, encrypted under the file of keys, is an entry beside the record, so that
// it can be destroyed while the record stays as it is.
//
// The engine itself reads records through the veil and gets the bodies as they were, byte
// for byte. Views of the record do not, and so nothing that shows records can show secrets.
package veil
