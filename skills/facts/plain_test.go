package facts

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

func TestPlain_EveryConstructOnTheListIsRead(t *testing.T) {
	for _, c := range shell.Plain() {
		_, err := readAll(c.Example)
		assert.NoError(t, err, "%s: %s", c.Name, c.Example)
	}
}

func TestPlain_EveryOtherConstructIsNamed(t *testing.T) {
	for _, c := range shell.NotPlain() {
		_, err := readAll(c.Example)
		var u *shell.Unreadable
		require.True(t, errors.As(err, &u), "%s: %s gave %v", c.Name, c.Example, err)
		assert.Equal(t, c.Name, u.Construct.Name, "%s: %v", c.Example, err)
		assert.NotEmpty(t, c.Instead)
	}
}
