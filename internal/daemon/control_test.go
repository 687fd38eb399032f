package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSettingsOfAControlPlane(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(" the-key\n"), 0o600))
	none, err := (&Control{}).plane(nil)
	require.NoError(t, err)
	assert.Nil(t, none)
	c := Control{URL: "https://plane.example/v1", KeyFile: key, Project: "shop"}
	plane, err := c.plane(nil)
	require.NoError(t, err)
	assert.NotNil(t, plane)
	assert.Contains(t, (&Config{Control: c}).own(), key, "no action may touch it")

	for want, wrong := range map[string]Control{
		"url is missing":      {KeyFile: key},
		"key_file is missing": {URL: c.URL},
		"no such file":        {URL: c.URL, KeyFile: key + "x"},
		"would get the key":   {URL: "http://plane.example", KeyFile: key},
	} {
		_, err := wrong.plane(nil)
		assert.ErrorContains(t, err, want)
	}
	require.NoError(t, os.Chmod(key, 0o644))
	_, err = c.plane(nil)
	require.ErrorContains(t, err, "everybody can read")
	require.NoError(t, os.WriteFile(key, nil, 0o600))
	require.NoError(t, os.Chmod(key, 0o600))
	_, err = c.plane(nil)
	assert.ErrorContains(t, err, "without a key")
}
