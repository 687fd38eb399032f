package engine

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
)

// open opens an engine as package cortex does, or where a test says.
func open(ctx context.Context, opt Options) (*Engine, error) {
	mount := opt.mount
	if mount == nil {
		mount = on(nil)
	}
	if err := opt.Check(); err != nil {
		return nil, err
	}
	st, err := mount(opt)
	if err != nil {
		return nil, fmt.Errorf("cortex: record in %q: %w", opt.Dir, err)
	}
	return Open(ctx, opt, st)
}

// on mounts a record on a disk of the test's; nil is the machine's. One in memory copies a
// whole file at each sync, so that files of the log are small there.
func on(disk *storetest.Disk) func(Options) (journal.Store, error) {
	if disk == nil {
		return segmented(nil, 0)
	}
	return segmented(disk, 64<<10)
}

// segmented does the same with files of the log of this size.
func segmented(disk *storetest.Disk, segment int64) func(Options) (journal.Store, error) {
	return func(o Options) (journal.Store, error) {
		return store.Open(o.Dir, store.Options{Logger: o.Logger, Disk: disk, Segment: segment, Reserve: o.Reserve,
			ReadOnly: o.ReadOnly})
	}
}

// onDisk keeps the record on a disk of its own.
func onDisk(o *Options) { o.Dir, o.mount = "state", on(storetest.NewDisk(nil)) }
