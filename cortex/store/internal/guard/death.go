package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Death is the end of a store, if it has come.
type Death struct {
	Log   *slog.Logger
	once  sync.Once
	Done  chan struct{} // closed when the store is dead
	cause error         // set before done is closed
}

// NewDeath returns the end of a store that lives. Log hears of it.
func NewDeath(log *slog.Logger) *Death {
	return &Death{Log: log, Done: make(chan struct{})}
}

// Die makes the store dead. Only the first cause counts.
func (d *Death) Die(cause error) {
	d.once.Do(func() {
		d.cause = cause
		close(d.Done)
		if !errors.Is(cause, ErrClosed) {
			d.Log.Error("store is dead: no further write is taken", "cause", cause)
		}
	})
}

// Err returns why the store is dead, or nil.
func (d *Death) Err() error {
	select {
	case <-d.Done:
		return d.cause
	default:
		return nil
	}
}

// Park keeps a goroutine of Pebble from going on. It cannot be given an error,
// because some of its callers panic then with a mutex unlocked that they are
// about to unlock, which ends the process; nor can it be ended, for the same
// reason.
func Park() { select {} }

// Alive runs work, which goes to the disk, in a goroutine of its own and waits
// until it is done or the store is dead; then work may be parked for ever.
func (d *Death) Alive(work func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- d.Panicked(p)
			}
		}()
		done <- work()
	}()
	select {
	case err := <-done:
		if dead := d.Err(); dead != nil {
			return dead // whatever Pebble says: nothing counts that may have come after
		}
		return err
	case <-d.Done:
		return d.Err()
	}
}

// Panicked makes the store dead of a panic inside Pebble.
func (d *Death) Panicked(p any) error {
	d.Die(fmt.Errorf("pebble panicked: %v", p))
	d.Log.Error("pebble panicked", "panic", p, "stack", string(debug.Stack()))
	return d.Err()
}
