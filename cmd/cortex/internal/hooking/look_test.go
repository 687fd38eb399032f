package hooking

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Look finds what Install wrote for every host, and says what somebody changed about it.
func TestLook(t *testing.T) {
	for _, d := range hooks.Dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			home, project := t.TempDir(), t.TempDir()
			t.Setenv("HOME", home)
			none := func(string) string { return "" }
			look := func() []Finding {
				found, err := Look(project, none)
				require.NoError(t, err)
				return found
			}
			assert.Empty(t, look())
			bin := filepath.Join(home, "my bin")
			require.NoError(t, os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o700))
			for _, folder := range []string{"", project} {
				file, err := FileOf(d, folder, none)
				require.NoError(t, err)
				s := Settings{Dialect: d, File: file, Program: bin, Args: []string{"--socket", "/a b/c"}, Wait: 50 * time.Second}
				_, err = s.Install()
				require.NoError(t, err)
			}
			found := look()
			require.Len(t, found, 2)
			for _, f := range found {
				assert.Empty(t, f.Bad)
				assert.NotEmpty(t, f.Limit)
			}
			text, err := os.ReadFile(found[0].File)
			require.NoError(t, err)
			change := func(old, now string, times int) string {
				t.Helper()
				changed := strings.Replace(string(text), old, now, times)
				require.NotEqual(t, string(text), changed)
				require.NoError(t, os.WriteFile(found[0].File, []byte(changed), 0o600))
				return look()[0].Bad
			}
			assert.Contains(t, change("timeout", "timeOut", 1), "what install writes is not there for ")
			assert.Contains(t, change("--wait 50s", "--wait 5y", -1), "no time limit")
			assert.Contains(t, change("exit 2", "exit 0", 1), "what install writes is not there for ")
			require.NoError(t, os.WriteFile(found[0].File, text, 0o600))
			require.NoError(t, os.Remove(bin))
			assert.Contains(t, look()[0].Bad, "its program cannot be started, so every call is blocked")
			require.NoError(t, os.WriteFile(found[0].File, []byte("{"), 0o600))
			assert.Contains(t, look()[0].Bad, "is not JSON")
		})
	}
}
