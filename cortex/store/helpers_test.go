package store

import (
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
)

// Quiet is a logger for Pebble itself that says nothing.
func Quiet() pebble.Logger {
	return tables.Options(guard.New(guard.System{FS: osDisk}, guard.NewDeath(Discard))).Logger
}

var (
	Discard = slog.New(slog.DiscardHandler)
	osDisk  = vfs.Default
)
