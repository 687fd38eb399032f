package guard

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// Disk is a file system. A change to the disk that fails makes the store dead; it
// and every later change never return. Reads pass, errors and all.
type Disk struct {
	System
	Death *Death
	busy  sync.RWMutex // held for reading during a change
	Space *space       // nil in memory
}

// System is a file system that a store stands on, and what is called before each change
// to it, if not nil; an error of that is the change's result. The zero one is none.
type System struct {
	vfs.FS
	Before func(kind, path string) error
}

// New guards a file system, for a store that dies of what fails there.
func New(on System, d *Death) *Disk { return &Disk{System: on, Death: d} }

// KeepBack keeps so many bytes of the disk back for the store in dir; 0 is the usual.
func (g *Disk) KeepBack(dir string, reserve int64) {
	g.Space = newSpace(g, dir, reserve)
	g.Space.begin()
}

// change carries out one change to the disk. One that is refused for want of space
// waits for it, if it can be done again.
func (g *Disk) change(kind, path string, op func() error) {
	err := g.Do(kind, path, op)
	if (noSpace(err) && again(kind) || NoDescriptor(err)) && g.Death.Err() == nil && g.Space != nil {
		err = g.Persist(kind, path, op, err)
	}
	if err != nil {
		g.Death.Die(err)
		Park()
	}
}

// again reports whether a change can be done again once it was refused for want of
// space. A sync cannot: what it was to write may be lost.
func again(kind string) bool {
	switch kind {
	case "create", "write", "rename", "link", "mkdir":
		return true
	}
	return false
}

// Persist does what was refused when there is space, or fails for another reason.
func (g *Disk) Persist(kind, path string, op func() error, cause error) error {
	if g.Space.Refused(cause) {
		if cause = g.Do(kind, path, op); !scarce(cause) {
			return cause
		}
	}
	err := g.Space.wait(func() error { return g.Do(kind, path, op) })
	if errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// Do carries out one change of the log's, which hears of what fails.
func (g *Disk) Do(kind, path string, op func() error) error {
	g.busy.RLock()
	defer g.busy.RUnlock()
	if err := g.Death.Err(); err != nil {
		return err
	}
	return g.try(kind, path, op)
}

func (g *Disk) try(kind, path string, op func() error) error {
	if g.Before != nil {
		if err := g.Before(kind, path); err != nil {
			return err
		}
	}
	return op()
}

// Settle returns when no change is under way. On a dead store none comes after.
func (g *Disk) Settle() {
	g.busy.Lock()
	defer g.busy.Unlock()
}
