package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// ErrNotOwner says that work belongs to somebody else.
var ErrNotOwner = errors.New("this is somebody else's work, and only they or an operator may interrupt it")

// interruption is why work on a signal was cut short by a person.
type interruption struct{ by string }

func (i *interruption) Error() string { return "interrupted by " + i.by }

func (i *interruption) Is(target error) bool { return target == ErrInterrupted }

// ErrInterrupted is what every [Interrupted] is.
var ErrInterrupted = errors.New("interrupted")

// Interrupted is the cause to cancel a context with when a person stops what they
// asked for themselves: the answer on record says so, and no engine takes it up
// again. Others who work in the session are not stopped, as Operations.Interrupt
// would.
func Interrupted(by string) error { return &interruption{by} }

// worker is one signal that is being answered, or waits for its session's turn.
type worker struct {
	principal string
	cancel    context.CancelCauseFunc
}

// attend notes that a signal is being worked on. The context it returns ends with
// ctx, with the engine, and when somebody interrupts; end must be called once.
func (s *Sessions) attend(ctx context.Context, sig perceive.Signal) (_ context.Context, end func(), err error) {
	if !s.Works.add() {
		return nil, nil, ledger.ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(ledger.ErrClosed) })
	w := &worker{sig.Principal, cancel}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Workers[sig.Session] == nil {
		s.Workers[sig.Session] = map[*worker]bool{}
	}
	s.Workers[sig.Session][w] = true
	return ctx, func() {
		stop()
		cancel(nil)
		s.Mu.Lock()
		delete(s.Workers[sig.Session], w)
		if len(s.Workers[sig.Session]) == 0 {
			delete(s.Workers, sig.Session)
		}
		s.Mu.Unlock()
		s.Works.done()
	}, nil
}

// Interrupt cuts short what is being answered in one session, and what waits its
// turn there, and returns how many signals that were; one that was answered in this
// very moment may count. Only the principal whose signals they are may do so, and an
// operator; for others nothing happens and the error is [ErrNotOwner] (row 31,
// weakness W29). An effect that has begun is canceled as far as its actuator can be,
// and its receipt says what is known. Signals that come later are answered as usual.
func (s *Sessions) Interrupt(ctx context.Context, session string, by perceive.Peer) (stopped int, err error) {
	if err := s.ledger.Usable(); err != nil {
		return 0, err
	}
	stopped, foreign := s.stop(session, by)
	if stopped == 0 && foreign > 0 {
		return 0, fmt.Errorf("session %q: %w", session, ErrNotOwner)
	}
	if stopped == 0 {
		return 0, nil
	}
	_, err = s.recordSignal(context.WithoutCancel(ctx), perceive.Signal{
		Type: perceive.Event, Sensor: perceive.Interrupt, Source: by.Source, Principal: by.Principal, Roles: by.Roles,
		Session: session,
		Payload: sexpr.Plist("sensor", sexpr.Key(perceive.Interrupt), "stopped", sexpr.Int64(int64(stopped))),
	})
	return stopped, err
}

// stop cancels the workers of a session that belong to by, and counts those that
// do not.
func (s *Sessions) stop(session string, by perceive.Peer) (stopped, foreign int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for w := range s.Workers[session] {
		if !by.Operator && w.principal != by.Principal {
			foreign++
			continue
		}
		stopped++
		w.cancel(&interruption{by.Principal})
	}
	return stopped, foreign
}
