package record

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// The engine's indexes over the journal, one byte of prefix each. All of them
// can be rebuilt from the records; the journal's own prefix is 'e'.
//
//	a TOKEN             an approval as it stands now (plist)
//	c SESSION REQUESTER DIGEST   how many cards in a row this action had
//	C SOURCE            how far a source has been read
//	J JUMP              by how much the wall clock was moved, in nanoseconds
//	K NONCE             a card as it was shown (plist)
//	M GATEWAY CHAT MESSAGE   the nonce of the card in this message
//	P TOKEN NONCE       where an approval's card was shown
//	R SESSION           a session that retention ended: up to which record, and when
//	Y HASH              a policy that is out of force: the last record that may rest on it
//	b ROOT              what a root signal has used of its budget (plist)
//	d SOURCE PRINCIPAL KEY   the signal that a dedupe key stands for
//	f INTENT            a compensation that failed and that no person has settled: the intent it was for
//	g SESSION REQUESTER DIGEST   the open approval for this action
//	h SESSION SEQ       what happened in a session: one letter and a number
//	i INTENT            an intent without a receipt
//	m INTENT            the intent that makes up for it, or is to
//	n WHAT NAME         how many approvals are open: "all", of a "session", of a "requester"
//	o DECISION          the intent that a decision was used for
//	p PRINCIPAL SEQ     what a principal spent: intents, and receipts of nothing
//	s SESSION SEQ       what was spent in a session, likewise
//	q SESSION DIGEST INTENT  the same open intents, by what they do
//	u SIGNAL            an accepted signal without an answer: how often an engine has taken it up
//	v KEY               version of "session/ID" or "principal/NAME": a sequence number, and of a session
//	                    how many bytes its history takes in memory
//	w SIGNAL            the answer to a root signal
//	x NAME              settings: "epoch", "kill", "operator", "policy"
//	y HASH              the record that keeps a rulebook or the protected places
//
// Texts inside a key end with a zero byte, which names are not allowed to have
// ([Named]), so that no key is the beginning of another.
const (
	TableApproval   = 'a'
	TableBudget     = 'b'
	TableCards      = 'c'
	TableDedupe     = 'd'
	TableGrant      = 'g'
	TableSession    = 'h'
	TableIntent     = 'i'
	TableOpen       = 'n'
	TableUsed       = 'o'
	TablePrincipal  = 'p'
	TableDoing      = 'q'
	TableSpent      = 's'
	TableUnanswered = 'u'
	TableVersion    = 'v'
	TableCursor     = 'C'
	TablePosting    = 'K'
	TableMessage    = 'M'
	TablePosted     = 'P'
	TableAnswer     = 'w'
	TableEnded      = 'R'
	TableCeased     = 'Y'
	TableJump       = 'J'
	TableSetting    = 'x'
	TablePolicy     = 'y'

	TableFailed       = 'f'
	TableCompensation = 'm'
)

// Key builds an index key from texts, digests and sequence numbers. A part of another type
// is a mistake in this program, and a panic: the update that made it is dropped.
func Key(table byte, parts ...any) []byte {
	out := append(make([]byte, 0, 64), table) // longer than most
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(append(out, p...), 0)
		case uint64:
			out = binary.BigEndian.AppendUint64(out, p)
		case sexpr.Digest:
			out = append(out, p[:]...)
		default:
			panic(fmt.Sprintf("record: a key has no part of the type %T", p))
		}
	}
	return out
}

// After returns the first key behind every key that begins with prefix.
func After(prefix []byte) []byte {
	out := append([]byte(nil), prefix...)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] != 0xff {
			out[i]++
			return out[:i+1]
		}
	}
	return nil
}

// Number is a number as a value or a part of a key: big-endian, so that keys sort.
func Number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// AsNumber reads what [Number] wrote. It returns 0 for an absent value.
func AsNumber(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// Reader is what Journal and Tx have in common.
type Reader interface {
	Get(key []byte) ([]byte, error)
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
}

var (
	_ Reader = (*journal.Journal)(nil)
	_ Reader = (*journal.Tx)(nil)
)

// Scan calls f with every entry under prefix until f returns an error.
func Scan(r Reader, prefix []byte, f func(key, value []byte) error) error {
	var inner error
	err := r.Scan(prefix, After(prefix), func(k, v []byte) bool {
		inner = f(k, v)
		return inner == nil
	})
	if err != nil {
		return err
	}
	return inner
}

// GetPlist reads a plist that the engine wrote itself.
func GetPlist(r Reader, k []byte) (sexpr.Value, bool, error) {
	raw, err := r.Get(k)
	if err != nil || raw == nil {
		return sexpr.Value{}, false, err
	}
	v, err := Unlimited.Read("store", string(raw))
	return v, err == nil, err
}

// Unlimited reads the engine's own plists, which may hold what several messages
// held. Depth stays bounded.
var Unlimited = sexpr.Reader{Limits: sexpr.Limits{Bytes: 1 << 30, Depth: 256, Atoms: 1 << 30, String: 1 << 30}}

// SetPlist writes a plist under a key.
func SetPlist(tx *journal.Tx, k []byte, v sexpr.Value) error {
	text, err := sexpr.Print(v)
	if err != nil {
		return err
	}
	tx.Set(k, []byte(text))
	return nil
}

// Named checks the texts that become parts of index keys.
func Named(what string, names ...string) error {
	for _, n := range names {
		if strings.IndexByte(n, 0) >= 0 || len(n) > MaxName || !utf8.ValidString(n) {
			return fmt.Errorf("%s %.40q: a name is UTF-8 without zero bytes, and at most %d bytes long", what, n, MaxName)
		}
	}
	return nil
}

// MaxName bounds the names of sessions, principals, sources and dedupe keys, in
// bytes.
const MaxName = 1024
