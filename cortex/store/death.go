package store

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// death is the end of a store, if it has come.
type death struct {
	log   *slog.Logger
	once  sync.Once
	done  chan struct{} // closed when the store is dead
	cause error         // set before done is closed
}

func newDeath(log *slog.Logger) *death {
	return &death{log: log, done: make(chan struct{})}
}

// die makes the store dead. Only the first cause counts.
func (d *death) die(cause error) {
	d.once.Do(func() {
		d.cause = cause
		close(d.done)
		if !errors.Is(cause, ErrClosed) {
			d.log.Error("store is dead: no further write is taken", "cause", cause)
		}
	})
}

// Err returns why the store is dead, or nil.
func (d *death) Err() error {
	select {
	case <-d.done:
		return d.cause
	default:
		return nil
	}
}

// park keeps a goroutine of Pebble from going on. It cannot be given an error,
// because some of its callers panic then with a mutex unlocked that they are
// about to unlock, which ends the process; nor can it be ended, for the same
// reason.
func park() { select {} }

// logger is what Pebble logs to. Its Fatalf keeps the promise never to return,
// and does not end the process.
type logger struct{ death *death }

func (l logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, args ...any) {
	l.death.log.Warn("pebble: " + fmt.Sprintf(format, args...))
}

func (l logger) Fatalf(format string, args ...any) {
	l.death.die(errors.New("pebble: " + fmt.Sprintf(format, args...)))
	park()
}

// listener makes the store dead where Pebble would try again without end, or
// go on with data that it knows to be wrong.
func listener(d *death) *pebble.EventListener {
	return &pebble.EventListener{
		// Parked, because Pebble would try again at once, and for ever.
		BackgroundError: func(err error) {
			d.die(fmt.Errorf("pebble in the background: %w", err))
			park()
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			d.die(fmt.Errorf("%w: %s: %w", ErrCorrupt, info.Path, info.Details))
		},
	}
}
