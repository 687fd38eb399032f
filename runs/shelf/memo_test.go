package shelf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/runs/event"
)

// Content is read once while it is remembered, what cannot be read each time, and what is remembered is
// bounded by its text.
func TestContentIsReadOnce(t *testing.T) {
	l := machine(t).Start().Hosts().Logs()
	s := New(l, 64)
	keep := func(text string) event.Digest {
		of, err := l.Keep(t.Context(), "text/plain", text)
		require.NoError(t, err)
		return event.Digest(of.String())
	}
	var m memo[int]
	read := 0
	length := func(text []byte) (int, error) {
		if read++; len(text) == 0 {
			return 0, errors.New("nothing")
		}
		return len(text), nil
	}
	some, none := keep("some"), keep("")
	for range 2 {
		n, err := m.of(s, some, length)
		require.NoError(t, err)
		assert.Equal(t, 4, n)
	}
	assert.Equal(t, 1, read)
	for range 2 {
		_, err := m.of(s, none, length)
		require.ErrorContains(t, err, "nothing")
	}
	assert.Equal(t, 3, read)
	_, err := m.of(s, event.DigestOf([]byte("never kept")), length)
	require.ErrorIs(t, err, ErrUnhealthy)
	require.ErrorIs(t, err, logs.ErrNoContent)
	assert.Equal(t, 3, read)
	for i := range 6 {
		n, err := m.of(s, keep(fmt.Sprint(i, strings.Repeat(".", 1<<20))), length)
		require.NoError(t, err)
		assert.Equal(t, 1<<20+1, n)
		assert.LessOrEqual(t, m.size, maxMemo)
	}
	assert.Len(t, m.known, 3)
}
