package main

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// reader reads a record: one that this process holds, or a daemon's.
type reader interface {
	Records(ctx context.Context, from uint64, f func(journal.Record) error) error
	Read(ctx context.Context, seq uint64) (journal.Record, error)
	Verify(ctx context.Context, seen []journal.Head) (journal.Head, error)
	Close() error
}

// record opens the record for reading.
func (f recordFlag) record(p *program) (reader, error) {
	j, c, err := openRecord(p.ctx, f, journalIn(p))
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	return chain{j}, nil
}

// chain is a record that this process holds.
type chain struct{ *journal.Journal }

// Records calls f for each record from one on.
func (c chain) Records(ctx context.Context, from uint64, f func(journal.Record) error) error {
	return c.Journal.Records(from, func(r journal.Record) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return f(r)
	})
}

// Read returns one record.
func (c chain) Read(_ context.Context, seq uint64) (journal.Record, error) {
	return c.Journal.Read(seq)
}

// Verify checks every record, and returns the newest.
func (c chain) Verify(ctx context.Context, seen []journal.Head) (journal.Head, error) {
	head := c.Head()
	return head, c.Journal.Verify(ctx, seen...)
}
