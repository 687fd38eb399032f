package record

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/sexpr"
)

// A part that would be left out of a key would make two keys one.
func TestKeyTakesKnownPartsOnly(t *testing.T) {
	assert.Equal(t, append([]byte("gs\x00"), make([]byte, 8)...), Key(TableGrant, "s", uint64(0)))
	assert.Len(t, Key(TableCards, sexpr.Digest{}), 1+len(sexpr.Digest{}))
	assert.Panics(t, func() { Key(TableIntent, 7) })
}
