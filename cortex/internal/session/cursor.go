package session

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// Cursor is how far a source of signals has been read: a position in it, such as a
// messenger's offset. It becomes durable in the batch that records the signal read there,
// so that a crash neither repeats nor skips a signal.
type Cursor struct {
	Source string // whose stream it is
	At     int64  // the position behind what was read
}

// CursorOf returns the position to read on from in a source; 0 for the beginning.
func (s *Sessions) CursorOf(source string) (int64, error) {
	raw, err := s.j.Get(record.TableCursor.Key(source))
	return int64(record.AsNumber(raw)), err
}

// Advance moves a cursor past something that is not a signal. A cursor never moves back.
func (s *Sessions) Advance(ctx context.Context, c Cursor) error {
	if err := s.ledger.Usable(); err != nil {
		return err
	}
	if err := c.valid(); err != nil {
		return err
	}
	return s.j.Update(ctx, func(tx *journal.Tx) error { return c.set(tx) })
}

func (c Cursor) valid() error {
	if c.Source == "" || c.At < 0 {
		return fmt.Errorf("cursor %q at %d: a cursor has a source and is not negative", c.Source, c.At)
	}
	return record.Named("cursor", c.Source)
}

// set moves the cursor inside the single writer. The zero Cursor is none.
func (c Cursor) set(tx *journal.Tx) error {
	if c == (Cursor{}) {
		return nil
	}
	old, err := tx.Get(record.TableCursor.Key(c.Source))
	if err == nil && int64(record.AsNumber(old)) < c.At {
		tx.Set(record.TableCursor.Key(c.Source), record.Number(uint64(c.At)))
	}
	return err
}
