package cortex

import (
	"encoding/binary"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/skills"
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

// What an entry of the session index says happened.
const (
	markUser     = 'u' // a person's message
	markDecision = 'd' // a decision
	markReceipt  = 'r' // what came of the decision whose number follows
)

func mark(letter byte, decision uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{letter}, decision)
}

// forget drops what is remembered of a session. The gate is held for writing.
func (h *history) forget(session string) {
	h.memory.forget(string(key(tableSession, session)))
	h.memory.forget(string(key(tableSpent, session)))
	h.passed.Purge()
}

// version is the last record that changed a versioned key; 0 for none.
func version(r reader, versioned string) (uint64, error) {
	raw, err := r.Get(key(tableVersion, versioned))
	return asNumber(raw[:min(8, len(raw))]), err
}

// standing is the version of a session, and how many bytes its history takes in
// memory when it is read in: anyone who asks for room need not read it for that.
func standing(r reader, session string) (seq uint64, bytes int, err error) {
	raw, err := r.Get(key(tableVersion, skills.SessionKey(session)))
	if len(raw) == 16 {
		bytes = int(asNumber(raw[8:]))
	}
	return asNumber(raw[:min(8, len(raw))]), bytes, err
}

// touched notes that record seq changed a session, and that its history takes so
// many bytes more.
func touched(tx *journal.Tx, session string, seq uint64, more int) error {
	_, bytes, err := standing(tx, session)
	tx.Set(key(tableVersion, skills.SessionKey(session)), append(number(seq), number(uint64(bytes+more))...))
	return err
}

// happenedIn notes in the session index what record seq means for the session, and
// how many bytes that takes.
func happenedIn(tx *journal.Tx, session string, seq uint64, letter byte, decision uint64, bytes int) error {
	tx.Set(key(tableSession, session, seq), mark(letter, decision))
	return touched(tx, session, seq, bytes)
}

// spentBy notes in the indexes of principal and session that record seq changed
// what was spent. The session's own version changes with every intent and receipt.
func spentBy(tx *journal.Tx, principal, session string, seq uint64) {
	tx.Set(key(tablePrincipal, principal, seq), []byte{1})
	tx.Set(key(tableSpent, session, seq), []byte{1})
	tx.Set(key(tableVersion, skills.PrincipalKey(principal)), number(seq))
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
