package logs

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// Head says how a log stands.
type Head struct {
	Log    string
	Family string // whose words its kinds of event are, by the first append
	Next   uint64 // the index of the next event; 0 for a log that is not there
	Last   uint64 // the record of the last append
	At     int64  // when that was, in Unix nanoseconds
	Over   bool   // nothing is due in it; retention may remove it
	Held   bool   // it waits for something outside
	Exempt bool   // retention does not remove it
	Owner  string // whose it is: who made the first append, until an operator gives it away
	// Acts is the session that its steps are calls of, and Approval the token of the approval
	// that it began with; "" for none. Both stay as long as the log is not over.
	Acts, Approval string
	Origin         string // the log that it was restored from, of this name or another; "" for none
	Root           uint64 // the root signal of its run; 0 for a log that was never woken

	version int
	deleted bool
}

// Errors that callers tell apart; errors.Is finds them.
var (
	// ErrNoLog says that there is no such log, or that it was deleted.
	ErrNoLog = errors.New("no such log")
	// ErrDeleted is returned by an append to a log that was deleted, and is not gone yet.
	ErrDeleted = fmt.Errorf("the log was deleted: %w", ErrNoLog)
	// ErrThere says that there is a log of this name, or what is left of one that was deleted.
	ErrThere = errors.New("there is such a log")
	// ErrNoEvent says that a log has no event of an index.
	ErrNoEvent = errors.New("no such event")
	// ErrNoContent says that content is not on record.
	ErrNoContent = errors.New("no such content")
	// ErrPartlyKnown says that the log has some events of an operation and not the others.
	ErrPartlyKnown = errors.New("the log has a part of these events: an operation is entered whole, under its own keys")
	// ErrVersion says that a later program wrote the log.
	ErrVersion = errors.New("a later version wrote the log")
	// ErrOver is returned by a [Tx] whose append has returned.
	ErrOver = errors.New("the append is over; a Tx must not be kept")
	// ErrLocked says that another holds the turn of a log. Trying again later may succeed.
	ErrLocked = errors.New("another has the turn of the log")
)

func (h *Head) value() sexpr.Value {
	var b plist.Builder
	b.Text("family", h.Family)
	b.Int("next", int64(h.Next))
	b.Int("last", int64(h.Last))
	b.Int("at", h.At)
	b.True("over", h.Over)
	b.True("held", h.Held)
	b.True("exempt", h.Exempt)
	b.Text("owner", h.Owner)
	b.Text("acts", h.Acts)
	b.Text("approval", h.Approval)
	b.Text("origin", h.Origin)
	b.Int("root", int64(h.Root))
	b.Int("v", int64(h.version))
	b.True("deleted", h.deleted)
	return b.Done()
}

func headFrom(log string, v sexpr.Value) (Head, error) {
	r := plist.NewReader(v, "log "+log)
	h := Head{Log: log, Family: r.Text("family"), Next: r.Seq("next"), Last: r.Seq("last"), At: r.Int("at"),
		Over: r.True("over"), Held: r.True("held"), Exempt: r.True("exempt"), Owner: r.Text("owner"),
		Acts: r.Text("acts"), Approval: r.Text("approval"), Origin: r.Text("origin"), Root: r.Seq("root"),
		version: r.Small("v"), deleted: r.True("deleted")}
	return h, r.Err()
}

// headOf returns how a log stands, deleted or not; of a log that is not there the zero Head
// with its name.
func headOf(r record.Reader, log string) (Head, error) {
	v, found, err := record.GetPlist(r, record.TableLog.Key(log))
	if err != nil || !found {
		return Head{Log: log}, err
	}
	return headFrom(log, v)
}

// set writes how a log stands, in the form that is read fastest, as a list of logs reads all heads.
func (h *Head) set(tx *journal.Tx) error {
	text, err := sexpr.Canonical(h.value())
	if err == nil {
		tx.Set(record.TableLog.Key(h.Log), []byte(text))
	}
	return err
}

// heads calls f with every log, deleted ones included.
func heads(r record.Reader, f func(Head) error) error {
	return record.TableLog.Scan(r, func(log string, raw []byte) error {
		v, err := record.PlistIn(r, raw)
		if err != nil {
			return err
		}
		h, err := headFrom(log, v)
		if err != nil {
			return err
		}
		return f(h)
	})
}
