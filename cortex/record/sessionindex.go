package record

import (
	"encoding/binary"
	"errors"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// OutOfForce notes the last record that may rest on a policy that is not in force.
func OutOfForce(tx *journal.Tx, policy sexpr.Digest, seq uint64) {
	tx.Set(TableCeased.Key(policy), Number(seq))
}

// Remains reports whether the indexes still hold anything of a session up to record at:
// what was written while the clock was ahead outlives what came before and after it.
func Remains(tx *journal.Tx, session string, at uint64) (found bool, err error) {
	for _, table := range []Series{TableSession, TableSpent} {
		err = errors.Join(err, tx.Scan(table.Under(session), table.Key(session, at+1), func(_, _ []byte) bool {
			found = true
			return false
		}))
	}
	return found, err
}

// EndOf returns the record up to which a session is over; 0 if it never ended.
func EndOf(r Reader, session string) (uint64, error) {
	v, err := r.Get(TableEnded.Key(session))
	if err != nil || len(v) != 16 {
		return 0, err
	}
	return AsNumber(v[:8]), nil
}

// What an entry of the session index says happened.
const (
	MarkUser     = 'u' // a person's message
	MarkSource   = 's' // a text that the model read besides messages and results
	MarkCover    = 'c' // a cover, or the end of one
	MarkDecision = 'd' // a decision
	MarkReceipt  = 'r' // the receipt for the decision whose number follows
)

func mark(letter byte, decision uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{letter}, decision)
}

// Version is the last record that changed a versioned key; 0 for none.
func Version(r Reader, versioned string) (uint64, error) {
	raw, err := r.Get(TableVersion.Key(versioned))
	return AsNumber(raw[:min(8, len(raw))]), err
}

// Standing is the version of a session, and how many bytes its history takes in
// memory when it is read in: anyone who asks for room need not read it for that.
func Standing(r Reader, session string) (seq uint64, bytes int, err error) {
	raw, err := r.Get(TableVersion.Key(skills.SessionKey(session)))
	if len(raw) == 16 {
		bytes = int(AsNumber(raw[8:]))
	}
	return AsNumber(raw[:min(8, len(raw))]), bytes, err
}

// Touched notes that record seq changed a session, and that its history takes so
// many bytes more.
func Touched(tx *journal.Tx, session string, seq uint64, more int) error {
	_, bytes, err := Standing(tx, session)
	tx.Set(TableVersion.Key(skills.SessionKey(session)), append(Number(seq), Number(uint64(bytes+more))...))
	return err
}

// HappenedIn notes in the session index what record seq means for the session, and
// how many bytes that takes.
func HappenedIn(tx *journal.Tx, session string, seq uint64, letter byte, decision uint64, bytes int) error {
	tx.Set(TableSession.Key(session, seq), mark(letter, decision))
	return Touched(tx, session, seq, bytes)
}

// SpentBy notes in the indexes of principal and session that record seq changed
// what was spent. The session's own version changes with every intent and receipt.
func SpentBy(tx *journal.Tx, principal, session string, seq uint64) {
	tx.Set(TablePrincipal.Key(principal, seq), []byte{1})
	tx.Set(TableSpent.Key(session, seq), []byte{1})
	tx.Set(TableVersion.Key(skills.PrincipalKey(principal)), Number(seq))
}

// Ended notes that a session is over with record at, and that the next one under its
// name has nothing in memory.
func Ended(tx *journal.Tx, session string, at uint64) error {
	tx.Set(TableEnded.Key(session), append(Number(at), Number(uint64(tx.Now()))...))
	tx.Set(TableVersion.Key(skills.SessionKey(session)), Number(at))
	return Scan(tx, TableCards.Under(session), func(k, _ []byte) error {
		tx.Delete(k)
		return nil
	})
}

// DedupeName is the key under which the first signal with a dedupe key is found.
func DedupeName(s perceive.Signal) string {
	return string(TableDedupe.Key(s.Source, s.Principal, s.Key))
}
