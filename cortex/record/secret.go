package record

import (
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// Keys encrypt what is secret in records. Package cortex/keyfile has them, in a file. They
// are safe for concurrent use.
type Keys interface {
	// Seal encrypts a text under a key made for it alone, and that key under the keys of the
	// file. What was sealed cannot be opened without its key.
	Seal(text []byte) (sealed, key []byte, err error)
	// Open decrypts what Seal made.
	Open(sealed, key []byte) ([]byte, error)
	// Renew adds a new key to the file, under which Seal encrypts from now on, and returns
	// a function that moves a key of Seal's under it, and one that removes the older keys of
	// the file: then what was not moved cannot be opened by anybody.
	Renew() (move func(key []byte) ([]byte, error), finish func() error, err error)
}

// The members of a body with which the engine marks what it has hidden.
const (
	// Veiled has what is hidden in a body, encrypted.
	Veiled = "veiled"
	// Withheld stands beside :args with the names of the arguments that are hidden.
	Withheld = "withheld"
)

// IsVeiled reports whether something in a body is hidden, and not shown here: a view shows
// records so, and the engine shows them so when their keys are destroyed.
func IsVeiled(body sexpr.Value) bool {
	_, is := body.Get(Veiled)
	return is
}

// Stored returns what is to be written beside a record that was just appended with the
// content v: v itself or, if something in the record is hidden, its body as it is stored.
func Stored(rec journal.Record, v sexpr.Value) sexpr.Value {
	if IsVeiled(rec.Body) {
		return rec.Body
	}
	return v
}
