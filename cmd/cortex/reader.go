package main

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
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
		return served{c}, nil
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

// page is how many records are asked for at a time.
const page = 500

// Records calls f for each record from one on, as they stream in. It ends with the
// record that is newest when it gets there.
func (s served) Records(ctx context.Context, from uint64, f func(journal.Record) error) error {
	for more := true; more; {
		form := sexpr.ListOf(sexpr.Sym("journal"), sexpr.Key("from"), sexpr.Int64(int64(from)), sexpr.Key("last"),
			sexpr.Int64(page))
		more = false
		err := s.Stream(ctx, form, func(part repl.Result) error {
			for _, x := range part.Value.Items() {
				r, err := recordFrom(x)
				if err == nil {
					err = f(r)
				}
				if err != nil {
					return err
				}
				from, more = r.Seq+1, true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Read returns one record.
func (s served) Read(ctx context.Context, seq uint64) (journal.Record, error) {
	v, err := s.eval(ctx, "journal", sexpr.Int64(int64(seq)))
	if err != nil {
		return journal.Record{}, err
	}
	return recordFrom(v)
}

// Verify has the daemon check every record, and returns the newest.
func (s served) Verify(ctx context.Context, seen []journal.Head) (journal.Head, error) {
	var args []sexpr.Value
	for _, h := range seen {
		args = append(args, sexpr.Str(h.String()))
	}
	v, err := s.eval(ctx, "verify", args...)
	if err != nil {
		return journal.Head{}, err
	}
	return journal.ParseHead(v.GetText("head"))
}

// recordFrom reads a record as the daemon shows it.
func recordFrom(v sexpr.Value) (r journal.Record, err error) {
	body, _ := v.Get("body")
	r = journal.Record{Seq: uint64(v.GetInt("seq")), Kind: v.GetText("kind"), At: v.GetInt("at"),
		Session: v.GetText("session"), Body: body}
	if r.Prev, err = sexpr.ParseDigest(v.GetText("prev")); err == nil {
		r.Hash, err = sexpr.ParseDigest(v.GetText("hash"))
	}
	return r, err
}
