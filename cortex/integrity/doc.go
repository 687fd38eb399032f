// Package integrity shows that a record is the one that it was. Signed checkpoints of the
// journal's head tell a record that was cut off, rolled back or written anew; a check in the
// background reads the whole chain again and compares the log with the tables.
package integrity
