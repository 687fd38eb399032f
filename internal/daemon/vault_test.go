package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRow065_AVaultIsAFolderOfPrivateFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	v := vault{filepath.Join(dir, "vault")}
	require.Error(t, v.check())
	require.NoError(t, os.Mkdir(v.dir, 0o750))
	require.ErrorContains(t, v.check(), "chmod 700")
	require.NoError(t, os.Chmod(v.dir, 0o700))
	require.NoError(t, v.check())
	for name, mode := range map[string]os.FileMode{"token": 0o600, "open": 0o644, ".hidden": 0o600, "../outside": 0o600} {
		require.NoError(t, os.WriteFile(filepath.Join(v.dir, name), []byte("tok123456\n"), mode))
	}
	require.NoError(t, os.Symlink("../outside", filepath.Join(v.dir, "link")))
	got, err := v.Secret(t.Context(), "token")
	require.NoError(t, err)
	assert.Equal(t, "tok123456", got)
	for _, name := range []string{"open", ".hidden", "../outside", "link", "none", "", ".", "a/b"} {
		_, err := v.Secret(t.Context(), name)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "tok123456")
	}
}
