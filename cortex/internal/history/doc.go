// Package history answers what happened in a session and what a principal spent, as of any
// record, so that a replay sees what the decision saw. It is a cache over the record.
package history
