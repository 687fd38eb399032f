package guard

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A write that wrote less than it was given has failed, whatever the disk says.
func TestAWriteThatIsCutShortIsAnError(t *testing.T) {
	for n := range 4 {
		assert.Equal(t, n < 3, Short(n, []byte("abc"), nil) != nil, n)
	}
	assert.ErrorIs(t, Short(3, []byte("abc"), io.EOF), io.EOF)
}
