package store

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// CheckLog reads all of the log, as far as it goes now, while commits go on, and calls f
// with each write in it, in order; it returns what f returns, or a [*Damage]. What a
// compaction takes away meanwhile is passed over. Where f waits, it waits too.
func (s *store) CheckLog(ctx context.Context, f func(w journal.Write) error) error {
	if s.memory {
		return nil
	}
	v, err := s.pin() // Close waits until then
	if err != nil {
		return wrap(err)
	}
	defer s.unpin(v)
	s.writing.Lock()
	end := s.log.At()
	s.writing.Unlock()
	return wrap(s.log.Check(end, func(w journal.Write) error {
		return errors.Join(s.Err(), context.Cause(ctx), f(w))
	}))
}
