package store

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// flushAfter is how much stands in the log alone, in bytes, when Pebble is told
	// to write it into tables: little has to be replayed after a crash, and little
	// is in only one place.
	flushAfter = 4 << 20
	// flushIdle is how long after the last commit that is done anyhow.
	flushIdle = 2 * time.Second
	// flushPause is the least time between two of them, since they hold up commits;
	// Pebble does one earlier when its memory (memTable) is used up.
	flushPause = time.Second
)

// keeper brings what is in the log alone into tables, and takes out of the log what
// is not needed, in a goroutine of its own that ends with the store.
type keeper struct {
	behind atomic.Int64  // bytes that are in the log alone
	wake   chan struct{} // has room for one
	quit   context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended
}

// keep starts the keeper of a store whose log is ahead by so many bytes.
func (s *store) keep(behind int64) {
	ctx, quit := context.WithCancel(context.Background())
	k := &keeper{wake: make(chan struct{}, 1), quit: quit, done: make(chan struct{})}
	s.keeper = k
	go func() {
		defer close(k.done)
		s.tend(ctx, k)
	}()
	k.written(behind)
}

// written counts bytes that are in the log and in no table yet.
func (k *keeper) written(bytes int64) {
	was := k.behind.Add(bytes) - bytes
	if bytes > 0 && was == 0 || was <= flushAfter && was+bytes > flushAfter {
		select {
		case k.wake <- struct{}{}:
		default: // it will see
		}
	}
}

// stop ends the keeper and waits for it. One of nil is there for a store in memory.
func (k *keeper) stop() {
	if k != nil {
		k.quit()
		<-k.done
	}
}

// tend is the keeper's work. What fails makes the store dead, and so ends it.
func (s *store) tend(ctx context.Context, k *keeper) {
	idle := time.NewTimer(flushIdle)
	defer idle.Stop()
	seen, looked, last := int64(0), s.log.Size(), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.death.Done:
			return
		case <-k.wake: // the first bytes since the last flush
			seen = 0
			idle.Reset(flushIdle)
		case <-idle.C:
		}
		pause := flushPause - time.Since(last)
		switch behind := k.behind.Load(); {
		case behind == 0:
			continue
		case behind > flushAfter && pause > 0:
			idle.Reset(pause)
			continue
		case behind <= flushAfter && behind != seen: // it is still written to
			seen = behind
			idle.Reset(flushIdle)
			continue
		}
		if s.Flush() != nil {
			return
		}
		seen, last = 0, time.Now()
		if bytes := s.log.Size(); bytes >= looked+s.most/4 { // worth a look
			looked = bytes
			if _, yes := s.wasteful(s.most); yes {
				if err := s.Compact(ctx); err != nil && ctx.Err() == nil {
					s.death.Log.Warn("the log was not made smaller", "cause", err)
				}
				looked = s.log.Size()
			}
		}
	}
}

// Flush brings what the log has into tables.
func (s *store) Flush() error {
	s.keeper.behind.Store(0) // what comes meanwhile counts again; at worst it is flushed twice
	err := s.death.Alive(func() error { return s.db.Flush() })
	if err != nil {
		s.death.Die(err)
	}
	return err
}
