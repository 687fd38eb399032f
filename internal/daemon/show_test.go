package daemon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/llm"
)

// A key that somebody wrote where none belongs is not printed.
func TestNothingSecretIsShown(t *testing.T) {
	c := Config{Providers: []llm.Config{{
		Name: "a", Key: "SECRET-1", URL: "https://host.example/v1?key=SECRET-2",
		Headers: map[string]string{"X-A": "SECRET-3"},
	}}}
	text, err := c.Text()
	require.NoError(t, err)
	assert.NotContains(t, text, "SECRET")
	assert.Contains(t, text, "https://host.example/v1?(not shown)")
}
