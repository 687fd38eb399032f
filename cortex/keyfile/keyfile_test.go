package keyfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/cortex/record"
)

var _ record.Keys = (*keyfile.Keys)(nil)

func TestAFileIsMadeByItsFirstSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	k, err := keyfile.Open(path)
	require.NoError(t, err)
	_, err = k.Open(nil, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NoFileExists(t, path)
	sealed, key, err := k.Seal([]byte("hunter2"))
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.True(t, strings.HasPrefix(string(sealed), "age-encryption.org/v1\n"), "any age opens it")

	again, err := keyfile.Open(path)
	require.NoError(t, err)
	text, err := again.Open(sealed, key)
	require.NoError(t, err)
	assert.Equal(t, "hunter2", string(text))
	other, otherKey, err := k.Seal([]byte("hunter2"))
	require.NoError(t, err)
	_, err = k.Open(sealed, otherKey)
	require.Error(t, err, "each has a key of its own")
	assert.NotEqual(t, sealed, other)
	sealed[len(sealed)-1] ^= 1
	_, err = k.Open(sealed, key)
	require.Error(t, err, "what was changed")
}

func TestRenewLeavesWhatWasNotMovedUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	k, err := keyfile.Open(path)
	require.NoError(t, err)
	sealed, key, err := k.Seal([]byte("moved"))
	require.NoError(t, err)
	lost, lostKey, err := k.Seal([]byte("destroyed"))
	require.NoError(t, err)
	move, finish, err := k.Renew()
	require.NoError(t, err)
	moved, err := move(key)
	require.NoError(t, err)
	crashed, err := keyfile.Open(path) // in between: both keys are in the file
	require.NoError(t, err)
	for _, x := range [][]byte{key, moved} {
		_, err = crashed.Open(sealed, x)
		require.NoError(t, err)
	}
	require.NoError(t, finish())
	for _, k := range []*keyfile.Keys{k, must(keyfile.Open(path))} {
		text, err := k.Open(sealed, moved)
		require.NoError(t, err)
		assert.Equal(t, "moved", string(text))
		_, err = k.Open(lost, lostKey)
		require.Error(t, err)
	}
}

func must(k *keyfile.Keys, err error) *keyfile.Keys {
	if err != nil {
		panic(err)
	}
	return k
}

func TestFilesThatAreNotSafe(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"open":  {"AGE-SECRET-KEY-1\n", 0o640, "chmod 600"},
		"empty": {"# nothing\n", 0o600, "there is no key in it"},
		"wrong": {"# a comment\nhunter2-not-a-key\n", 0o600, "wrong:2: this is not a key"},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(c.text), c.mode))
		_, err := keyfile.Open(path)
		require.ErrorContains(t, err, c.says)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	_, err := keyfile.Open(dir)
	require.ErrorContains(t, err, "regular file")
}
