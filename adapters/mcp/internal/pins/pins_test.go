package pins

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file of an earlier version has definitions as servers spelled them: the same definition in another spelling does
// not count as a change.
func TestAnotherSpellingIsNoChange(t *testing.T) {
	definition := json.RawMessage(`{"name":"read","description":"\u0072eads a\/b"}`)
	data, err := json.Marshal(map[string]pin{"read": newPin(definition)})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "pins")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	p, err := Open(path)
	require.NoError(t, err)
	for _, same := range []string{string(definition), `{"name":"read","description":"reads a/b"}`} {
		_, err = p.See(json.RawMessage(same))
		require.NoError(t, err)
		require.Nil(t, p.Changed("read"))
	}
	_, err = p.See(json.RawMessage(`{"name":"read","description":"reads all"}`))
	require.NoError(t, err)
	require.NotNil(t, p.Changed("read"))
}
