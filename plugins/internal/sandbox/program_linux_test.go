package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What was hashed can be neither written, nor cut, nor made longer, nor unsealed.
func TestSeal_NothingCanBeWritten(t *testing.T) {
	p, err := seal("x", strings.NewReader("program"))
	require.NoError(t, err)
	defer p.Close()
	_, err = p.file.WriteAt([]byte("other"), 0)
	assert.ErrorIs(t, err, unix.EPERM)
	assert.ErrorIs(t, p.file.Truncate(1), unix.EPERM)
	assert.ErrorIs(t, p.file.Truncate(100), unix.EPERM)
	_, err = unix.FcntlInt(p.file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
	assert.ErrorIs(t, err, unix.EPERM)
}
