package guard

import (
	"errors"
	"fmt"
)

// The errors of a store. Package store names them for others.
var (
	// ErrInUse: another process, or another store in this one, holds the folder.
	ErrInUse = errors.New("the folder is in use")
	// ErrFormat: another version wrote the folder.
	ErrFormat = errors.New("the folder has another format")
	// ErrCorrupt: what was read back from the disk is not what was written.
	ErrCorrupt = errors.New("the disk returned damaged data")
	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("store is closed")
	// ErrNotWritable: this process cannot write to the folder.
	ErrNotWritable = errors.New("the folder cannot be written to")
)

// Damage says where a store is not as it was written. It is an [ErrCorrupt].
type Damage struct {
	File   string // its path
	Offset int64  // in the file, in bytes
	Frame  uint64 // the commit that stands there, or should; 0 where that is not known
	Text   string
}

// Error says what is wrong, and where, and what can be done.
func (d *Damage) Error() string {
	at := ""
	if d.Frame > 0 {
		at = fmt.Sprintf(" (commit %d)", d.Frame)
	}
	return fmt.Sprintf("%s, byte %d%s: %s; `cortex fsck` says what can be mended", d.File, d.Offset, at, d.Text)
}

// Unwrap returns [ErrCorrupt].
func (d *Damage) Unwrap() error { return ErrCorrupt }
