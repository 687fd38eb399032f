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
	// Gate is held for writing while retention removes records, and for reading while
	// records are read. So no reader relies on a cache from before the removal.
	Gate  sync.RWMutex
	jumps jumps // of the wall clock; guarded by Gate
	// memory holds a SessionLog for each session, under its key of TableSession, and a
	// spendLog for each principal and each session, under theirs.
	memory *admission.Memory
	// Passed caches what a replay has just read and checked, so that histories need not
	// read it again. It is empty while no replay runs.
	Passed *lru.Cache[uint64, *Item]
}

// New returns the history of a record. m counts what it keeps in memory.
func New(j *journal.Journal, m *admission.Memory, caps admission.Caps) (*History, error) {
	passed, err := lru.New[uint64, *Item](keptItems)
	return &History{J: j, Caps: caps, memory: m, Passed: passed}, err
}

// Forget drops the cached history of a session. The caller holds Gate for writing.
func (h *History) Forget(session string) {
	h.memory.Forget(string(record.TableSession.Under(session)))
	h.memory.Forget(string(record.TableSpent.Under(session)))
	h.Passed.Purge()
}

// Room returns an [admission.BusyError] if the history of a session would exceed most bytes
// by growing by more. It uses a stored count and reads no history.
func (h *History) Room(session string, more, most int) error {
	_, bytes, err := record.Standing(h.J, session)
	if err == nil && bytes+more > most {
		return &admission.BusyError{What: "memory", Of: "session", Cap: h.Caps.SessionMemory}
	}
	return err
}
