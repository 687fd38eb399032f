package logs

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// Place is the record that holds an event.
type Place struct {
	Record uint64
	Hash   Digest // of the record, and with it of all records before
}

func placeOf(rec journal.Record) Place { return Place{rec.Seq, rec.Hash} }

// Named returns the name of the log that begins with this record. The error is [ErrNoLog] if
// none does, or if the log was deleted.
func (l *Logs) Named(first uint64) (log string, err error) {
	rec, err := l.j.Read(first)
	switch {
	case errors.Is(err, journal.ErrNotFound), errors.Is(err, journal.ErrRemoved):
		return "", fmt.Errorf("record %d: %w", first, ErrNoLog)
	case err != nil:
		return "", err
	case rec.Kind != record.KindEvents || rec.Body.GetInt("first") != 0:
		return "", fmt.Errorf("record %d begins none: %w", first, ErrNoLog)
	}
	in, err := record.EventsFrom(rec.Body)
	if err != nil {
		return "", fmt.Errorf("record %d: %w", first, err)
	}
	begins, err := l.j.Get(record.TableEvents.Key(in.Log, 0))
	if err == nil && (len(begins) != 8 || record.AsNumber(begins) != first) { // of a log that is gone
		err = fmt.Errorf("record %d: %w", first, ErrNoLog)
	}
	if err != nil {
		return "", err
	}
	h, err := l.Head(in.Log)
	return h.Log, err
}
