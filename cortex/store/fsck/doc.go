// Package fsck checks and repairs a store that is not open. [Check] reads all of both
// places, the log and the tables, and compares them key by key. [Repair] writes a new pair
// of places from what is whole and puts it in place of the old one, whose files it keeps.
//
// Where one place is whole, everything is taken from it. Where neither is, each commit and
// each record that is whole in either place is taken from there, and what is lost is
// listed; nothing is given up unless the caller accepts the loss.
//
// Package store does not need this package. A repair that was cut off is finished, or
// undone, by opening the store.
package fsck
