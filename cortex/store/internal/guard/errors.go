package guard

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/opencortex-go/cortex/cortex/journal"
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

// noSpace reports whether an error is for want of space.
func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// NoDescriptor reports whether an error is for want of a file descriptor: nothing was
// done then.
func NoDescriptor(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// scarce reports whether what failed may succeed by itself, later.
func scarce(err error) bool { return noSpace(err) || NoDescriptor(err) }

// Full says that it was for want of space, or of descriptors, if it was.
func Full(err error) error {
	if scarce(err) {
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	}
	return err
}
