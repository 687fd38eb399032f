package logs

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// ErrNoEvent says that the log has no such event.
var ErrNoEvent = errors.New("the log has no such event")

// Place is the record that holds an event.
type Place struct {
	Record uint64
	Hash   Digest // of the record, and with it of all records before
}

// At returns the record that holds the event of a dedupe key. The error is [ErrNoEvent] or
// [ErrNoLog] if there is none.
func (l *Logs) At(log, key string) (Place, error) {
	if _, err := l.Head(log); err != nil {
		return Place{}, err
	}
	raw, err := l.j.Get(record.TableEventKey.Key(log, key))
	if err == nil && len(raw) != 16 {
		err = ErrNoEvent
	}
	var rec journal.Record
	if err == nil {
		rec, err = l.j.Read(record.AsNumber(raw[:8]))
	}
	if err != nil {
		return Place{}, fmt.Errorf("log %s, event %q: %w", log, key, err)
	}
	return Place{rec.Seq, rec.Hash}, nil
}

// Named returns the log whose first record this is. The error is [ErrNoLog] if there is none.
func (l *Logs) Named(first uint64) (string, error) {
	if first == 0 || first > l.j.Last() {
		return "", ErrNoLog
	}
	rec, err := l.j.Read(first)
	if err != nil {
		return "", err
	}
	if rec.Kind != record.KindEvents {
		return "", ErrNoLog
	}
	e, err := record.EventsFrom(rec.Body)
	if err != nil || e.First != 0 {
		return "", errors.Join(ErrNoLog, err)
	}
	h, err := l.Head(e.Log)
	return h.Log, err
}
