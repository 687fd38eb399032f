package wal

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// The newer head of a segment counts, wherever it stands.
func TestSegment_Newest(t *testing.T) {
	old, fresh := &Slot{Turn: 2}, &Slot{Turn: 3}
	for _, c := range []struct {
		slots [2]*Slot
		want  *Slot
	}{{[2]*Slot{old, fresh}, fresh}, {[2]*Slot{fresh, old}, fresh}, {[2]*Slot{nil, old}, old}, {[2]*Slot{old, nil}, old},
		{}} {
		assert.Same(t, c.want, (&Segment{slots: c.slots}).Newest())
	}
}

// The folder of a segment that was made is synced before anything is acknowledged, or a
// power cut takes the whole segment.
func TestBegin_TheFolderIsSynced(t *testing.T) {
	disk, made, synced := storetest.NewDisk(nil), false, false
	disk.Watch(func(op storetest.Op) error {
		made = made || op.Kind == "create" && strings.HasSuffix(op.Path, Suffix)
		synced = synced || made && op.Kind == "sync" && op.Path == "store/log"
		return nil
	})
	l := New(guard.New(disk.System(), guard.NewDeath(slog.New(slog.DiscardHandler))), "store/log", 0)
	require.NoError(t, guard.MakeDir(l.disk, "store/log"))
	require.NoError(t, l.Begin(1, Mark{}))
	assert.True(t, made)
	assert.True(t, synced)
	require.NoError(t, l.Close())
}
