package cortex

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// history answers what happened in a session, and what a principal spent, as of
// any sequence number, so that a replay sees what the decision saw. It is a
// cache over the record: nothing in it exists nowhere else.
type history struct {
	j    *journal.Journal
	caps Caps
	// gate is held for writing while retention takes records away, and for reading
	// while they are read: nobody goes by what was remembered before.
	gate  sync.RWMutex
	jumps jumps // of the wall clock; under gate
	// memory holds a sessionLog for a session, under its key of tableSession, and a
	// spendLog for a principal and for a session, likewise.
	memory *memory
	// passed is what a replay has just read and checked, so that histories need not
	// read it once more; empty while there is none.
	passed *lru.Cache[uint64, *happening]
}

func newHistory(j *journal.Journal, m *memory, caps Caps) (*history, error) {
	passed, err := lru.New[uint64, *happening](keptHappenings)
	return &history{j: j, caps: caps, memory: m, passed: passed}, err
}

// forget drops what is remembered of a session. The gate is held for writing.
func (h *history) forget(session string) {
	h.memory.forget(string(key(tableSession, session)))
	h.memory.forget(string(key(tableSpent, session)))
	h.passed.Purge()
}

// room reports whether the history of a session may grow by so many
// bytes, to most. It is told from a count, and nothing is read in for it.
func (h *history) room(session string, more, most int) error {
	_, bytes, err := standing(h.j, session)
	if err == nil && bytes+more > most {
		return &BusyError{"memory", "session", h.caps.SessionMemory}
	}
	return err
}
