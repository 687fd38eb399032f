package journal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// maxGroupBytes ends a large group, so that large updates do not make the commit of
// others slow.
const maxGroupBytes = 4 << 20

// request is a queued update.
type request struct {
	f      func(*Tx) error
	finish bool          // it finishes recorded work: see Finish
	done   chan struct{} // closed when err is final
	err    error

	mu        sync.Mutex // held while f runs
	taken     bool       // f has begun to run
	withdrawn bool       // the caller has left: f must not run
}

// withdraw cancels the update. It returns false if its function has run.
func (r *request) withdraw() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.withdrawn = !r.taken
	return r.withdrawn
}

func (r *request) end(err error) {
	r.err = err
	close(r.done)
}

// Update runs f in the single writer and returns when its writes are durable.
// Functions run one after another; each sees all writes before it. If f returns an
// error or panics, its writes are dropped and Update returns the error. f must be
// quick, and must not call Update or Close.
//
// If ctx ends while the update waits for its turn, f never runs. If it ends later, f
// has run to its end, its writes may or may not become durable, and the error wraps
// [ErrUnsure] and the cause. The same holds if the store fails during the commit;
// then, and in every later update, the error wraps [ErrReadOnly] and the cause. With
// any other error nothing was written; with [ErrFull] there was no space, and a
// later try may succeed.
func (j *Journal) Update(ctx context.Context, f func(tx *Tx) error) error {
	return j.update(ctx, &request{f: f, done: make(chan struct{})})
}

// Finish is [Journal.Update] for updates that finish recorded work: a receipt, an
// answer, a denial. While [Journal.Room] returns an error, it may use the reserved
// space. f may run twice; only its last writes count.
func (j *Journal) Finish(ctx context.Context, f func(tx *Tx) error) error {
	return j.update(ctx, &request{f: f, finish: true, done: make(chan struct{})})
}

func (j *Journal) update(ctx context.Context, r *request) error {
	if err := j.enqueue(ctx, r); err != nil {
		return err
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	if r.withdraw() {
		return notRun(ctx)
	}
	select {
	case <-r.done:
		return r.err
	default:
		return fmt.Errorf("journal: %w: %w", ErrUnsure, context.Cause(ctx))
	}
}

func notRun(ctx context.Context) error {
	return fmt.Errorf("journal: update not run: %w", context.Cause(ctx))
}

func (j *Journal) enqueue(ctx context.Context, r *request) error {
	if ctx.Err() != nil {
		return notRun(ctx)
	}
	j.entry.RLock()
	defer j.entry.RUnlock()
	if j.closed.Load() {
		return ErrClosed
	}
	select {
	case j.queue <- r:
		return nil
	case <-ctx.Done():
		return notRun(ctx)
	}
}

// write is the single writer. It ends when the queue is closed and empty.
func (j *Journal) write() {
	defer close(j.end)
	var g *group
	ended := false
	defer func() {
		if ended {
			return
		}
		// An update's function has ended this goroutine (runtime.Goexit), which cannot
		// be stopped. So accept no further update, and release all callers.
		j.die(errors.New("an update's function ended the writer's goroutine"))
		g.end(*j.dead.Load())
		for r := range j.queue {
			r.end(*j.dead.Load())
		}
	}()
	crowd, most := 0, time.Duration(0) // the size of the last group, and how long to wait for its callers
	for r := range j.queue {
		g = g.next(j.Head())
		j.fill(g, r, crowd, most)
		begun := time.Now()
		err := j.commit(g)
		if errors.Is(err, ErrFull) && g.mixed() {
			full := g
			g = &group{head: j.Head()}
			err = j.spare(g, full, err)
		}
		crowd, most = len(g.requests)+len(j.queue), time.Since(begun)/2
		g.end(err)
		if j.broken() != nil {
			g = nil // a store that failed may still be reading it
		}
	}
	ended = true
}

// spare handles a group that does not fit on the disk: it fails the updates for new
// work and runs the others again, so that large new work does not block updates that
// finish work.
func (j *Journal) spare(g, full *group, cause error) error {
	for _, r := range full.requests {
		if r.finish {
			g.again = append(g.again, r)
		} else {
			r.end(cause)
		}
	}
	for len(g.again) > 0 {
		r := g.again[0]
		g.again = g.again[1:]
		j.run(g, r)
	}
	return j.commit(g)
}

// PanicError is the error of an update whose function panicked.
type PanicError struct {
	Value any
	Stack []byte // of the panic, for the log
}

// Error describes the panic, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("journal: update dropped: its function panicked: %v", e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// group is the updates of one commit.
type group struct {
	requests []*request
	again    []*request // to run a second time
	results  []error    // of the requests' functions
	head     Head       // after them
	writes   layer
	bytes    int
	own      layer // empty; space for the next update's writes
	memory   arena // of the writes
}

// maxKept bounds the capacity for writes that an empty group keeps.
const maxKept = 4096

// next is an empty group that reuses the memory of the finished group g; g may be
// nil.
func (g *group) next(head Head) *group {
	if g == nil || cap(g.writes)+cap(g.own) > maxKept {
		return &group{head: head}
	}
	clear(g.writes)
	clear(g.own[:cap(g.own)])
	return &group{head: head, writes: g.writes[:0], own: g.own, memory: g.memory.next()}
}

// patience is how often the writer yields before it commits without further updates:
// some 30 microseconds on an idle machine, a small part of a sync.
const patience = 200

// fill runs the waiting updates, beginning with r, until the group is full. It waits
// briefly for the callers that the last commit has just released; otherwise they
// would always miss the next sync, and groups would be half as large as they could
// be. It waits at most most: if other goroutines compute, a single yield may take
// longer than a commit.
func (j *Journal) fill(g *group, r *request, crowd int, most time.Duration) {
	left, begun := patience, time.Now()
	for j.run(g, r); len(g.requests) < j.opt.Group && g.bytes < maxGroupBytes; j.run(g, r) {
		for ; left > 0 && len(g.requests) < crowd && len(j.queue) == 0 && time.Since(begun) < most; left-- {
			runtime.Gosched()
		}
		var ok bool
		select {
		case r, ok = <-j.queue:
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// run runs one update's function and adds its writes to the group.
func (j *Journal) run(g *group, r *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.withdrawn {
		return
	}
	r.taken = true
	g.requests = append(g.requests, r)
	if err := j.broken(); err != nil {
		g.results = append(g.results, err)
		return
	}
	if err := j.store.Room(); err != nil && !r.finish {
		g.results = append(g.results, fmt.Errorf("journal: %w", err))
		return
	}
	tx := &Tx{store: j.store, bounds: &j.bounds, veil: j.opt.Veil, group: g, head: g.head, own: g.own,
		now: j.opt.Clock().UnixNano()}
	err := call(r.f, tx)
	tx.over = true
	g.own = tx.own[:0]
	if err == nil {
		err = tx.err
	}
	g.results = append(g.results, err)
	if err == nil {
		g.take(tx)
	}
}

// call runs f, and turns a panic into an error.
func call(f func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return f(tx)
}

// mixed reports whether some updates of the group finish work, and some do not.
func (g *group) mixed() bool {
	finishing := 0
	for _, r := range g.requests {
		if r.finish {
			finishing++
		}
	}
	return finishing > 0 && finishing < len(g.requests)
}

func (g *group) take(tx *Tx) {
	for _, w := range tx.own {
		g.bytes += len(w.Key) + len(w.Value)
	}
	g.writes.merge(tx.own)
	g.head = tx.head
}

// end releases the callers of all requests. Every result waits for the commit,
// because every function may have read writes of others in the group. If those were
// lost, its conclusions are invalid.
func (g *group) end(commit error) {
	for _, r := range g.again {
		r.end(commit)
	}
	for i, r := range g.requests {
		switch {
		case commit != nil:
			r.end(commit)
		default:
			r.end(g.results[i])
		}
	}
	g.requests = nil
}

// commit makes the group durable, and then visible.
func (j *Journal) commit(g *group) error {
	if len(g.writes) == 0 {
		return nil
	}
	if g.head != j.Head() {
		g.writes.set(Write{Key: headKey(), Value: g.head.seal()})
	}
	switch err := j.store.Commit(g.writes); {
	case errors.Is(err, ErrFull):
		return fmt.Errorf("journal: %w", err)
	case err != nil:
		j.die(err)
		return fmt.Errorf("%w: %w", *j.dead.Load(), ErrUnsure)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if g.head != j.head {
		j.head = g.head
		close(j.changed)
		j.changed = make(chan struct{})
	}
	return nil
}
