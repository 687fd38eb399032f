package session

import (
	"context"
	"slices"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
)

// Waiter waits in the queue of a session, whose signals are answered one
// after another, in the order in which they came. Who is first is inside.
type Waiter struct {
	session string
	first   chan struct{} // closed when it is first in the queue
	wait    func()        // a simulation's, set before that; nil: none
}

// Reserve joins the end of a session's queue.
func (s *Sessions) Reserve(session string) *Waiter {
	p := &Waiter{session: session, first: make(chan struct{})}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Queues[session] = append(s.Queues[session], p)
	if len(s.Queues[session]) == 1 {
		close(p.first)
	}
	return p
}

// Turn waits until it is the waiter's turn. leave must be called once; on an error
// the waiter has left the queue.
func (s *Sessions) Turn(ctx context.Context, p *Waiter) (leave func(), err error) {
	select {
	case <-p.first:
		if p.wait != nil {
			p.wait()
		}
		return func() { s.Vacate(p) }, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-s.ctx.Done():
		err = ledger.ErrClosed
	}
	s.Vacate(p)
	return nil, err
}

// Vacate takes a waiter out of the queue and lets the next one in, if it was the first.
func (s *Sessions) Vacate(p *Waiter) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	queue := s.Queues[p.session]
	i := slices.Index(queue, p)
	queue = slices.Delete(queue, i, i+1)
	if len(queue) == 0 {
		delete(s.Queues, p.session)
		return
	}
	s.Queues[p.session] = queue
	if i == 0 {
		if s.Opt.Stagger != nil {
			queue[0].wait = s.Opt.Stagger()
		}
		close(queue[0].first)
	}
}

// entry gets a signal into its session; see [Engine.enter].
type entry func(ctx context.Context, session string) (leave func(), err error)

// Enter waits for the session's turn. leave must be called once.
func (s *Sessions) Enter(ctx context.Context, session string) (leave func(), err error) {
	return s.Turn(ctx, s.Reserve(session))
}

// EnterNow is [Sessions.Enter] that takes a turn that is free whatever ctx says.
func (s *Sessions) EnterNow(ctx context.Context, session string) (leave func(), err error) {
	p := s.Reserve(session)
	select {
	case <-p.first:
		ctx = context.WithoutCancel(ctx)
	default:
	}
	return s.Turn(ctx, p)
}

// inside is the entry of those for whom somebody holds the turn already.
func inside(context.Context, string) (leave func(), err error) { return func() {}, nil }
