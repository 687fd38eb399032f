package cortex

import (
	"encoding/binary"
	"errors"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// outOfForce notes the last record that may rest on a policy that is not in force.
func outOfForce(tx *journal.Tx, policy sexpr.Digest, seq uint64) {
	tx.Set(key(tableCeased, policy), number(seq))
}

// remains reports whether the indexes still hold anything of a session up to record at:
// what was written while the clock was ahead outlives what came before and after it.
func remains(tx *journal.Tx, session string, at uint64) (found bool, err error) {
	for _, table := range []byte{tableSession, tableSpent} {
		err = errors.Join(err, tx.Scan(key(table, session), key(table, session, at+1), func(_, _ []byte) bool {
			found = true
			return false
		}))
	}
	return found, err
}

// endOf returns the record up to which a session is over; 0 if it never ended.
func endOf(r reader, session string) (uint64, error) {
	v, err := r.Get(key(tableEnded, session))
	if err != nil || len(v) != 16 {
		return 0, err
	}
	return asNumber(v[:8]), nil
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

// ended notes that a session is over with record at, and that the next one under its
// name has nothing in memory.
func ended(tx *journal.Tx, session string, at uint64) error {
	tx.Set(key(tableEnded, session), append(number(at), number(uint64(tx.Now()))...))
	tx.Set(key(tableVersion, skills.SessionKey(session)), number(at))
	return scan(tx, key(tableCards, session), func(k, _ []byte) error {
		tx.Delete(k)
		return nil
	})
}

func dedupeName(s perceive.Signal) string {
	return string(key(tableDedupe, s.Source, s.Principal, s.Key))
}
