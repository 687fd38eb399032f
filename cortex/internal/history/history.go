package history

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// History answers what happened in a session, and what a principal spent, as of any
// sequence number, so that a replay sees what the decision saw. It is a cache: the record
// holds all that is in it.
type History struct {
	J    *journal.Journal
	Caps admission.Caps
	// gate is held for writing while retention takes records away, and for reading
	// while they are read, so that no reader relies on what was remembered before.
	Gate  sync.RWMutex
	jumps jumps // of the wall clock; under gate
	// memory holds a sessionLog for a session, under its key of tableSession, and a
	// spendLog for a principal and for a session, likewise.
	memory *admission.Memory
	// passed is what a replay has just read and checked, so that histories need not
	// read it once more; empty while there is none.
	Passed *lru.Cache[uint64, *Item]
}

// New returns the history of a record. m counts what it keeps in memory.
func New(j *journal.Journal, m *admission.Memory, caps admission.Caps) (*History, error) {
	passed, err := lru.New[uint64, *Item](keptItems)
	return &History{J: j, Caps: caps, memory: m, Passed: passed}, err
}

// Forget drops what is remembered of a session. The gate is held for writing.
func (h *History) Forget(session string) {
	h.memory.Forget(string(record.Key(record.TableSession, session)))
	h.memory.Forget(string(record.Key(record.TableSpent, session)))
	h.Passed.Purge()
}

// Room reports whether the history of a session may grow by so many
// bytes, to most. It is told from a count, and nothing is read in for it.
func (h *History) Room(session string, more, most int) error {
	_, bytes, err := record.Standing(h.J, session)
	if err == nil && bytes+more > most {
		return &admission.BusyError{What: "memory", Of: "session", Cap: h.Caps.SessionMemory}
	}
	return err
}
