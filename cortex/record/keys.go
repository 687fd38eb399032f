package record

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

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

// Reader is what Journal, Tx and View have in common.
type Reader interface {
	journal.Getter
	Scan(lo, hi []byte, f func(key, value []byte) bool) error
}

var (
	_ Reader = (*journal.Journal)(nil)
	_ Reader = (*journal.Tx)(nil)
	_ Reader = journal.View{}
)

// Scan calls f with every entry under prefix until f returns an error.
func Scan(r Reader, prefix []byte, f func(key, value []byte) error) error {
	return scanRange(r, prefix, After(prefix), f)
}

func scanRange(r Reader, lo, hi []byte, f func(key, value []byte) error) error {
	var inner error
	err := r.Scan(lo, hi, func(k, v []byte) bool {
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
	v, err := PlistIn(r, raw)
	return v, err == nil, err
}

// PlistIn reads a plist that [SetPlist] wrote. Journal and Tx show what is hidden in it, other
// readers do not.
func PlistIn(r Reader, raw []byte) (sexpr.Value, error) {
	v, err := readPlist(string(raw))
	open, opens := r.(interface {
		Show(r journal.Record) (journal.Record, error)
	})
	if err != nil || !opens || !IsVeiled(v) {
		return v, err
	}
	rec, err := open.Show(journal.Record{Session: v.GetText("session"), Body: v})
	return rec.Body, err
}

// readPlist reads a plist, in the one pass that a canonical text takes if it is one.
func readPlist(text string) (sexpr.Value, error) {
	if v, ok := sexpr.ReadCanonical(text); ok {
		return v, nil
	}
	return Unlimited.Read("store", text)
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
