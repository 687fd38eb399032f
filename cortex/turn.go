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
func (s *mainSessions) reserve(session string) *place {
	p := &place{session: session, first: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues[session] = append(s.queues[session], p)
	if len(s.queues[session]) == 1 {
		close(p.first)
	}
	return p
}

// turn waits until a place is the first. leave must be called once; on an error
// the place is given up.
func (s *mainSessions) turn(ctx context.Context, p *place) (leave func(), err error) {
	select {
	case <-p.first:
		if p.wait != nil {
			p.wait()
		}
		return func() { s.vacate(p) }, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-s.ctx.Done():
		err = ErrClosed
	}
	s.vacate(p)
	return nil, err
}

// vacate gives a place up and lets the next one in, if it was the first.
func (s *mainSessions) vacate(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queues[p.session]
	i := slices.Index(queue, p)
	queue = slices.Delete(queue, i, i+1)
	if len(queue) == 0 {
		delete(s.queues, p.session)
		return
	}
	s.queues[p.session] = queue
	if i == 0 {
		if s.opt.Stagger != nil {
			queue[0].wait = s.opt.Stagger()
		}
		close(queue[0].first)
	}
}

// entry gets a signal into its session; see [Engine.enter].
type entry func(ctx context.Context, session string) (leave func(), err error)

// enter waits for the session's turn. leave must be called once.
func (s *mainSessions) enter(ctx context.Context, session string) (leave func(), err error) {
	return s.turn(ctx, s.reserve(session))
}

// inside is the entry of those for whom somebody holds the turn already.
func inside(context.Context, string) (leave func(), err error) { return func() {}, nil }
