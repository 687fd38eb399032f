// Package hooks has what the tests of this module set in an engine beside its options: they
// stand between the engine and its store, and put what it does at once into one order. A
// program cannot name the type, so it cannot set them.
package hooks

import "github.com/opencortex-go/cortex/cortex/journal"

// Hooks change how an engine runs, not what it decides. The zero value changes nothing.
type Hooks struct {
	// Wrap returns a store that stands between the engine and st, in front of the engine's
	// own caches. nil means st.
	Wrap func(st journal.Store) journal.Store
	// Queue and Group are those of [journal.Options].
	Queue, Group int
	// Stagger is called as tasks begin and as turns are passed on. Each goes on when wait
	// returns.
	Stagger func() (wait func())
}
