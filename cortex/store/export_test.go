package store

import (
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	discard = slog.New(slog.DiscardHandler)
	osDisk  = vfs.Default
)
