package opening

import (
	"context"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// Reader reads a record: one that this process holds, or a daemon's.
type Reader interface {
	Records(ctx context.Context, from uint64, f func(journal.Record) error) error
	Read(ctx context.Context, seq uint64) (journal.Record, error)
	Verify(ctx context.Context, seen []journal.Head) (journal.Head, error)
	Close() error
}

// Record opens the record for reading.
func (f RecordFlag) Record(ctx context.Context, con *console.Console) (Reader, error) {
	j, c, err := OpenRecord(ctx, f, JournalIn(con))
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	return Chain{j}, nil
}

// Chain is a record that this process holds.
type Chain struct{ *journal.Journal }

// Records calls f for each record from one on.
func (c Chain) Records(ctx context.Context, from uint64, f func(journal.Record) error) error {
	return c.Journal.Records(from, func(r journal.Record) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return f(r)
	})
}

// Read returns one record.
func (c Chain) Read(_ context.Context, seq uint64) (journal.Record, error) {
	return c.Journal.Read(seq)
}

// Verify checks every record, and returns the newest.
func (c Chain) Verify(ctx context.Context, seen []journal.Head) (journal.Head, error) {
	head := c.Head()
	return head, c.Journal.Verify(ctx, seen...)
}
