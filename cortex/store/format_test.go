package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
)

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func TestFormatIsTheNewestThatThisPebbleKnows(t *testing.T) {
	assert.Equal(t, pebble.FormatNewest, format, "a newer Pebble has a newer format: moving on needs a step of its own")
}

// Pebble by itself loses acknowledged writes without a word when its log is
// damaged: all of them under its default format, and under the newest format in
// a database that was just made. Here a flipped byte before the log's last block
// is an error from the first run on.
func TestDamagedLogIsFoundFromTheFirstRunOn(t *testing.T) {
	live := t.TempDir()
	s := mustOpen(t, live, Options{})
	value := strings.Repeat("v", 1000)
	for range 100 { // three blocks of 32 KiB and a bit
		require.NoError(t, s.Commit([]journal.Write{set("k", value)}))
	}
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(live))) // as a killed process leaves it
	require.NoError(t, s.Close())

	logs, err := filepath.Glob(crashed + "/*.log")
	require.NoError(t, err)
	var log string
	var raw []byte
	for _, l := range logs {
		if b, err := os.ReadFile(l); err == nil && len(b) > len(raw) {
			log, raw = l, b
		}
	}
	require.Greater(t, len(raw), 96<<10)
	for _, at := range []int{0, 500, 10_000, 40_000, 90_000} {
		damaged := append([]byte(nil), raw...)
		damaged[at] ^= 0x40
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(crashed)))
		writeFile(t, filepath.Join(dir, filepath.Base(log)), string(damaged))
		_, err := Open(dir, Options{})
		require.Error(t, err, "byte %d of the log flipped", at)
	}
	s = mustOpen(t, crashed, Options{}) // and undamaged it opens
	got, err := s.Get([]byte("k"))
	require.NoError(t, err)
	assert.Equal(t, value, string(got))
	require.NoError(t, s.Close())
}

func TestOpenRefusesOtherFormats(t *testing.T) {
	dir := t.TempDir()
	old := &pebble.Options{FormatMajorVersion: format - 1, Logger: logger{newDeath(discard)}}
	db, err := pebble.Open(dir, old)
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("k"), []byte("v"), pebble.Sync))
	require.NoError(t, db.Close())

	_, err = Open(dir, Options{})
	require.ErrorIs(t, err, ErrFormat, "older, with data: moving on is an order of its own")
	was, err := pebble.Peek(dir, osDisk)
	require.NoError(t, err)
	assert.Equal(t, format-1, was.FormatMajorVersion, "and was not moved on")

	empty := t.TempDir()
	db, err = pebble.Open(empty, old)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := mustOpen(t, empty, Options{})
	require.NoError(t, s.Commit([]journal.Write{set("k", "v")}), "older and empty: the making was interrupted")
	require.NoError(t, s.Close())

	markers, err := filepath.Glob(empty + "/marker.format-version.*")
	require.NoError(t, err)
	require.Len(t, markers, 1)
	name := markers[0]
	require.NoError(t, os.Rename(name, name[:strings.LastIndex(name, ".")]+".999"))
	_, err = Open(empty, Options{})
	require.ErrorIs(t, err, ErrFormat, "newer")
}
