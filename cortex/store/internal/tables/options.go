package tables

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Format is what this version reads and writes: by name, because moving on is
// for good and happens on an order, not because a library was updated. It is
// the first that tells a damaged log from one that was cut off by a crash, in
// all but the log's last block.
const Format = pebble.FormatValueSeparation

// How many tables may lie over each other before they are merged, and before writers
// wait for that: twice what Pebble takes by itself. Merging was a sixth of what the
// processor did for durable decisions with 64 callers, and each takes a tenth less
// time so; four times as many save little more.
const (
	l0Merge = 8
	l0Stop  = 24
)

// filterBits is how many bits a table has for each key in a filter that says which keys it does not
// have: one look in a hundred is in vain. Much of what a commit asks for is not there yet.
const filterBits = 10

// cache is what Pebble keeps of its tables in memory, in bytes. It counts what it has not written
// yet in with that, up to two memtables: with less than those every look reads the disk.
const cache = 2*guard.MemTable + 16<<20

// Options are how a database on disk is opened.
func Options(disk *guard.Disk) *pebble.Options {
	opt := &pebble.Options{
		FS:                    pebbleDisk{disk},
		FormatMajorVersion:    Format,
		MemTableSize:          guard.MemTable,
		CacheSize:             cache,
		DisableWAL:            true, // the log is one
		L0CompactionThreshold: l0Merge,
		L0StopWritesThreshold: l0Stop,
		Logger:                logger{disk.Death},
		EventListener:         listener(disk.Death),
	}
	opt.Levels[0].FilterPolicy = bloom.FilterPolicy(filterBits) // the deeper levels take it over
	return opt
}

// logger is what Pebble logs to. Its Fatalf keeps the promise never to return,
// and does not end the process.
type logger struct{ death *guard.Death }

func (l logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, args ...any) {
	l.death.Log.Warn("pebble: " + fmt.Sprintf(format, args...))
}

func (l logger) Fatalf(format string, args ...any) {
	l.death.Die(errors.New("pebble: " + fmt.Sprintf(format, args...)))
	guard.Park()
}

// listener makes the store dead where Pebble would try again without end, or
// go on with data that it knows to be wrong.
func listener(d *guard.Death) *pebble.EventListener {
	return &pebble.EventListener{
		// Parked, because Pebble would try again at once, and for ever.
		BackgroundError: func(err error) {
			d.Die(fmt.Errorf("pebble in the background: %w", err))
			guard.Park()
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			d.Die(fmt.Errorf("%w: %s: %w", guard.ErrCorrupt, info.Path, info.Details))
		},
	}
}
