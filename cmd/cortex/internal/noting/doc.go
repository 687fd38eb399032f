// Package noting is the commands about notes.
package noting
