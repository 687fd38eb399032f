package session

import (
	"context"
	"sync"
)

// tasks are goroutines that work for the engine: all of them end before it is
// closed, and new ones may start while somebody waits.
type tasks struct {
	stagger func() (wait func()) // of a simulation, or nil

	mu     sync.Mutex
	n      int
	idle   chan struct{} // closed when n falls to 0; nil while n is 0
	closed bool
}

// Run starts f, unless no more tasks are taken.
func (t *tasks) Run(f func()) {
	if !t.add() {
		return
	}
	wait := func() {}
	if t.stagger != nil {
		wait = t.stagger()
	}
	go func() {
		defer t.done()
		wait()
		f()
	}()
}

// add counts the caller's own goroutine as a task until done; false if no more
// are taken.
func (t *tasks) add() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	if t.n == 0 {
		t.idle = make(chan struct{})
	}
	t.n++
	return true
}

func (t *tasks) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 {
		close(t.idle)
		t.idle = nil
	}
}

// Wait returns when no task runs.
func (t *tasks) Wait(ctx context.Context) error {
	for {
		t.mu.Lock()
		idle := t.idle
		t.mu.Unlock()
		if idle == nil {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close takes no more tasks.
func (t *tasks) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
