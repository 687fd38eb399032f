package cortex

import (
	"context"
	"slices"
)

// place is a place in the queue of a session, whose signals are answered one
// after another, in the order in which they came. Who is first is inside.
type place struct {
	session string
	first   chan struct{} // closed when nobody is in front any more
	wait    func()        // a simulation's, set before that; nil: none
}

// reserve takes the last place in a session's queue.
func (e *Engine) reserve(session string) *place {
	p := &place{session: session, first: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions[session] = append(e.sessions[session], p)
	if len(e.sessions[session]) == 1 {
		close(p.first)
	}
	return p
}

// turn waits until a place is the first. leave must be called once; on an error
// the place is given up.
func (e *Engine) turn(ctx context.Context, p *place) (leave func(), err error) {
	select {
	case <-p.first:
		if p.wait != nil {
			p.wait()
		}
		return func() { e.vacate(p) }, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-e.ctx.Done():
		err = ErrClosed
	}
	e.vacate(p)
	return nil, err
}

// vacate gives a place up and lets the next one in, if it was the first.
func (e *Engine) vacate(p *place) {
	e.mu.Lock()
	defer e.mu.Unlock()
	queue := e.sessions[p.session]
	i := slices.Index(queue, p)
	queue = slices.Delete(queue, i, i+1)
	if len(queue) == 0 {
		delete(e.sessions, p.session)
		return
	}
	e.sessions[p.session] = queue
	if i == 0 {
		if e.opt.sim.stagger != nil {
			queue[0].wait = e.opt.sim.stagger()
		}
		close(queue[0].first)
	}
}

// entry gets a signal into its session; see [Engine.enter].
type entry func(ctx context.Context, session string) (leave func(), err error)

// enter waits for the session's turn. leave must be called once.
func (e *Engine) enter(ctx context.Context, session string) (leave func(), err error) {
	return e.turn(ctx, e.reserve(session))
}

// inside is the entry of those for whom somebody holds the turn already.
func inside(context.Context, string) (leave func(), err error) { return func() {}, nil }
