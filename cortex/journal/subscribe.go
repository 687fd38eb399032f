package journal

import (
	"context"
	"errors"
	"iter"
)

// batch is how many records a subscription reads at a time.
const batch = 64

// Subscribe yields the durable records from the one numbered from, in order, and
// then each new one once it is durable, until the loop ends. It stops after one
// error: the cause of ctx, [ErrClosed] when the journal is closed, or a [*Damage].
//
// Every subscription reads from the store at its own pace. So a slow one does not
// delay the writer or the others, holds no memory, and misses no record however far
// it falls behind.
func (j *Journal) Subscribe(ctx context.Context, from uint64) iter.Seq2[Record, error] {
	return j.subscribe(ctx, from, j.Records)
}

// walking calls f with each durable record from one on, as [Journal.Records] does.
type walking func(from uint64, f func(Record) error) error

func (j *Journal) subscribe(ctx context.Context, from uint64, records walking) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for next := max(from, 1); ; {
			records, err := j.wait(ctx, next, records)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
				next = r.Seq + 1
			}
		}
	}
}

var errEnough = errors.New("enough")

// wait returns the next records, as soon as there is one. It holds nothing of the
// store open while the caller works on them.
func (j *Journal) wait(ctx context.Context, next uint64, walk walking) ([]Record, error) {
	for {
		j.mu.Lock()
		last, changed := j.head.Seq, j.changed
		j.mu.Unlock()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if next <= last {
			var out []Record
			err := walk(next, func(r Record) error {
				if out = append(out, r); len(out) == batch {
					return errEnough
				}
				return nil
			})
			if len(out) > 0 {
				return out, nil // the next call meets the error again
			}
			if err != nil && j.closed.Load() {
				err = ErrClosed
			}
			return nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-j.end:
			return nil, ErrClosed
		}
	}
}
