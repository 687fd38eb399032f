package store

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func TestFormatIsTheNewestThatThisPebbleKnows(t *testing.T) {
	assert.Equal(t, pebble.FormatNewest, tables.Format,
		"a newer Pebble has a newer format: moving on needs a step of its own")
}

// A damaged log is found from the first run on, wherever it is damaged: all of what
// was acknowledged is there, or Open says where it is not. The one that is last may
// have been cut off while it was written; that is said, too.
func TestI4_DamagedLogIsFoundFromTheFirstRunOn(t *testing.T) {
	crashtest.Long(t)
	live := t.TempDir()
	s := MustOpen(t, live, Options{})
	value := strings.Repeat("v", 1000)
	for i := range 100 {
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%03d", i), value)}))
	}
	end := s.(*store).log.At().End
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(live))) // as a killed process leaves it
	require.NoError(t, s.Close())

	const log = "log/00000001.seg"
	raw, err := os.ReadFile(filepath.Join(crashed, log))
	require.NoError(t, err)
	last := end - (end-wal.FramesAt)/100
	for at := int64(0); at < end; at += 509 {
		damaged := append([]byte(nil), raw...)
		damaged[at] ^= 0x40
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(crashed)))
		writeFile(t, filepath.Join(dir, log), string(damaged))
		var said bytes.Buffer
		s, err := Open(dir, Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
		var damage *Damage
		switch {
		case at >= wal.FramesAt && at < last:
			require.ErrorAs(t, err, &damage, "byte %d", at)
			require.ErrorIs(t, err, ErrCorrupt)
			require.LessOrEqual(t, damage.Offset, at)
			require.Greater(t, damage.Offset+(end-wal.FramesAt)/100, at, "the frame is named")
			continue
		case at >= last:
			require.NoError(t, err)
			require.Contains(t, said.String(), "the last commit of the log was not whole")
			require.Len(t, All(t, s, nil, nil), 99)
		default: // a head: the other one is there
			require.NoError(t, err)
			require.Len(t, All(t, s, nil, nil), 100)
		}
		require.NoError(t, s.Close())
	}
	s = MustOpen(t, crashed, Options{}) // and undamaged it opens
	assert.Len(t, All(t, s, nil, nil), 100)
	require.NoError(t, s.Close())
}

func TestOpenRefusesOtherFormats(t *testing.T) {
	dir := t.TempDir()
	old := &pebble.Options{FormatMajorVersion: tables.Format - 1, Logger: Quiet()}
	db, err := pebble.Open(dir, old)
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("k"), []byte("v"), pebble.Sync))
	require.NoError(t, db.Close())

	_, err = Open(dir, Options{})
	require.ErrorIs(t, err, ErrFormat, "older, with data: moving on is an order of its own")
	was, err := pebble.Peek(dir, osDisk)
	require.NoError(t, err)
	assert.Equal(t, tables.Format-1, was.FormatMajorVersion, "and was not moved on")

	empty := t.TempDir()
	db, err = pebble.Open(empty, old)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := MustOpen(t, empty, Options{})
	require.NoError(t, s.Commit([]journal.Write{Set("k", "v")}), "older and empty: the making was interrupted")
	require.NoError(t, s.Close())

	markers, err := filepath.Glob(empty + "/marker.format-version.*")
	require.NoError(t, err)
	require.Len(t, markers, 1)
	name := markers[0]
	require.NoError(t, os.Rename(name, name[:strings.LastIndex(name, ".")]+".999"))
	_, err = Open(empty, Options{})
	require.ErrorIs(t, err, ErrFormat, "newer")
}
