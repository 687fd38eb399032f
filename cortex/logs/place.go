package logs

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// At returns the record that holds an event of a log, and the hash of that record, which
// nothing but the same history of the whole record gives. The number of the log's first record
// is that of event 0. The error is [ErrNoLog], [ErrNoEvent], or says what is wrong with the
// record.
func (l *Logs) At(log string, index uint64) (seq uint64, hash Digest, err error) {
	h, err := l.Head(log)
	if err != nil {
		return 0, Digest{}, err
	}
	rec, err := at(l.j, h, index)
	if err != nil {
		return 0, Digest{}, fmt.Errorf("log %s, event %d: %w", log, index, err)
	}
	return rec.Seq, rec.Hash, nil
}

// at returns the record that holds an event.
func at(r reader, h Head, index uint64) (journal.Record, error) {
	if index >= h.Next {
		return journal.Record{}, ErrNoEvent
	}
	var first, seq uint64
	if err := record.TableEvents.Range(r, h.Log, 0, index+1, func(begins uint64, at []byte) error {
		first, seq = begins, record.AsNumber(at)
		return nil
	}); err != nil {
		return journal.Record{}, err
	}
	in, rec, _, err := segment(r, h, seq, first)
	if err == nil && index >= first+uint64(len(in.Events)) {
		err = errors.New("it ends before the event")
	}
	if err != nil {
		return journal.Record{}, fmt.Errorf("record %d: %w", seq, err)
	}
	return rec, nil
}

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
	begins, _, err := l.At(in.Log, 0)
	if err == nil && begins != first { // of a log that is gone, and whose name another has
		err = fmt.Errorf("record %d: %w", first, ErrNoLog)
	}
	return in.Log, err
}
