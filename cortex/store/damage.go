package store

import "fmt"

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
