package folder

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Why a folder's lock cannot be had is said, not guessed.
func TestLockError(t *testing.T) {
	for want, cause := range map[error][]error{
		guard.ErrInUse: {syscall.EAGAIN, syscall.EACCES, errors.New("lock held by current process")},
		guard.ErrNotWritable: {&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EROFS},
			&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EACCES}, syscall.EROFS},
		syscall.EIO: {&fs.PathError{Op: "open", Path: "LOCK", Err: syscall.EIO}},
	} {
		for _, c := range cause {
			err := lockError("folder", c)
			assert.ErrorIs(t, err, want, "%v", c)
			assert.Equal(t, errors.Is(want, guard.ErrInUse), errors.Is(err, guard.ErrInUse), "%v", c)
		}
	}
}
