package fsck

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/image"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
)

var discard = slog.New(slog.DiscardHandler)

func mustOpen(t testing.TB, dir string, opt store.Options) image.Live {
	t.Helper()
	s, err := store.Open(dir, opt)
	require.NoError(t, err)
	return s.(image.Live)
}

func set(key, value string) journal.Write {
	return journal.Write{Key: []byte(key), Value: []byte(value)}
}

func all(t *testing.T, s journal.Store, lo, hi []byte) []string {
	t.Helper()
	var out []string
	require.NoError(t, s.Scan(lo, hi, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%s=%s", k, v))
		return true
	}))
	return out
}

// quiet is a logger for Pebble itself that says nothing.
func quiet() pebble.Logger {
	return tables.Options(guard.New(guard.System{FS: vfs.Default}, guard.NewDeath(discard))).Logger
}
