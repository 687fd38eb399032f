// Package integrity shows that a record is complete and unchanged. Signed checkpoints of
// the journal's head reveal a record that was cut off, rolled back or written anew. A
// check in the background reads the whole chain again and compares the log with the
// tables.
package integrity
